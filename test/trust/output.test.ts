/**
 * R15: whatever becomes of what a program writes to (a slow reader, one that has seen enough, a full disk, nothing at
 * all), every byte that can arrive does, the exit code is the right one, and no stack is shown.
 */
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge, aMarket, anAccount, failed, succeeded, unspecified } from '../spec/bodies.ts';
import { type BuiltRun, runShell } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import { loopbackTls } from '../support/tls.ts';
import { needs } from '../support/tools.ts';

const GOAL = 'R15 kinds of output × readers';
const MANY = 2_000;
/** What a pipe of Linux takes at once. */
const PIPE_BYTES = 65_536;

let env: Record<string, string>;
let stop: () => Promise<void>;
beforeAll(async () => {
  const tls = await loopbackTls();
  const record = { ...unspecified['closed hedge'], market: 'USDTNGN' };
  const many = <T>(one: (number: number) => T): readonly T[] =>
    Array.from({ length: MANY }, (_, at) => one(at));
  const data: Readonly<Record<string, unknown>> = {
    '/markets': many((at) => aMarket({ market: `USDT${at.toString(36).toUpperCase().padStart(3, 'A')}` })),
    '/hedges': many((at) => aHedge({ id: `hdg_${at.toString()}` })),
    '/hedges/history': many((at) => aClosedHedge({ ...record, id: `hdg_${at.toString()}` })),
    '/account': anAccount(),
  };
  const server = createServer(tls, (request, response) => {
    const path = (request.url ?? '').replace('/v2', '').replace(/\?.*/, '');
    const said = data[path];
    // The answers' own time, or no two outputs would be the same.
    response.writeHead(said === undefined ? 404 : 200, { date: 'Fri, 20 Nov 2026 09:02:11 GMT' });
    response.end(JSON.stringify(said === undefined ? failed('not_found') : succeeded(said)));
  });
  const url = `https://127.0.0.1:${(await listen(server)).toString()}/v2`;
  const home = temporaryFolder(afterAll);
  env = { ...wayTo({ url, ca: tls.ca }, home), HEDGE_HOME: home, COLUMNS: '200' };
  stop = () => close(server);
});
afterAll(() => stop());

interface Kind {
  line: string;
  code: number;
  /** Too little for a pipe to be full of it. */
  isShort?: true;
}

const BATCH = Array.from({ length: 4 }, () => 'hedges').join('\\n');
const KINDS: readonly Kind[] = [
  { line: 'hedge hedges', code: 0 },
  { line: 'hedge hedges --json', code: 0 },
  { line: 'hedge hedges --csv', code: 0 },
  { line: 'hedge hedges --output jsonl', code: 0 },
  { line: 'hedge hedges --query data[].id', code: 0, isShort: true },
  { line: 'hedge history --json', code: 0 },
  { line: 'hedge markets --csv', code: 0 },
  { line: 'hedge api GET /hedges', code: 0 },
  { line: `hedge batch - <<<$'${BATCH}'`, code: 0 },
  { line: 'hedge account --json', code: 0, isShort: true },
  { line: 'hedge help', code: 0, isShort: true },
  { line: 'hedge --version', code: 0, isShort: true },
  { line: 'hedge completion bash', code: 0, isShort: true },
  { line: 'hedge positions --json', code: 3, isShort: true },
  { line: 'hedge nonsense --json', code: 2, isShort: true },
];

interface Reader {
  name: string;
  /** Prints the exit code of the line last. */
  script: (line: string) => string;
  codes: (kind: Kind) => readonly number[];
  /** What arrives of what a file would hold. */
  arrives: 'all' | 'the beginning' | 'nothing';
}

const SIGPIPE = 141;
const last = (line: string): string => `rc=0; ${line} || rc=$?; echo "rc $rc" >&2`;
const piped = (line: string, reader: string): string =>
  `set +eo pipefail; ${line} | ${reader}; echo "rc \${PIPESTATUS[0]}" >&2`;

const READERS: readonly Reader[] = [
  {
    name: 'a slow pipe',
    script: (line) => piped(line, '(sleep 0.4; cat)'),
    codes: ({ code }) => [code],
    arrives: 'all',
  },
  {
    name: 'a pipe read byte by byte',
    script: (line) => piped(line, 'dd bs=777 status=none iflag=fullblock'),
    codes: ({ code }) => [code],
    arrives: 'all',
  },
  {
    name: 'head -1',
    script: (line) => piped(line, 'head -1'),
    codes: ({ code }) => [code, SIGPIPE],
    arrives: 'the beginning',
  },
  {
    name: 'a reader that does not even begin',
    script: (line) => piped(line, 'true'),
    codes: ({ code }) => [code, SIGPIPE],
    arrives: 'nothing',
  },
  {
    name: 'a full disk',
    script: (line) => last(`${line} > /dev/full`),
    codes: () => [74],
    arrives: 'nothing',
  },
  {
    name: 'a file that may not grow',
    script: (line) => last(`(ulimit -f 32; trap '' XFSZ; ${line} > "$HEDGE_HOME/out.$$")`),
    codes: ({ code, isShort }) => (isShort ? [code] : [74]),
    arrives: 'nothing',
  },
  {
    name: 'nobody at all',
    script: (line) => last(`${line} >&-`),
    codes: ({ code }) => [code, 74],
    arrives: 'nothing',
  },
  {
    name: 'a closed standard error',
    script: (line) => `exec 3>&2; { ${line} 2>&-; rc=$?; } || rc=$?; echo "rc $rc" >&3`,
    codes: ({ code }) => [code],
    arrives: 'all',
  },
  {
    name: 'a full standard error',
    script: (line) => `exec 3>&2; rc=0; ${line} 2>/dev/full || rc=$?; echo "rc $rc" >&3`,
    codes: ({ code }) => [code],
    arrives: 'all',
  },
];

/** What the service did not date, this machine's clock has. */
const undated = (text: string): string => text.replaceAll(/"at":"[^"]*"/g, '');

function wrongIn(ran: BuiltRun, { kind, reader, whole }: { kind: Kind; reader: Reader; whole: string }) {
  const [, code = ''] = /rc (\d+)\n$/.exec(ran.err) ?? [];
  const said = ran.err.replace(/rc \d+\n$/, '').replace(/^2000 returned.*\n/, '');
  const told = `${kind.line} to ${reader.name}: ${code}, ${ran.out.length.toString()} of ${whole.length.toString()} bytes, ${said.slice(0, 300)}`;
  const wrong: string[] = [];
  if (code === '' || !reader.codes(kind).includes(Number(code))) wrong.push(`another exit code: ${told}`);
  if (/\n\s+at .+:\d+|node:internal|EPIPE|\(node:\d+\)/.test(said)) wrong.push(`a stack: ${told}`);
  const [came, meant] = [ran.out, whole].map(undated);
  if (reader.arrives === 'all' && came !== meant) wrong.push(`not all of it: ${told}`);
  if (reader.arrives === 'the beginning' && meant?.startsWith(came ?? '') !== true)
    wrong.push(`something else: ${told}`);
  if (code === '74' && !said.includes('could not be written')) wrong.push(`74 without a word: ${told}`);
  if (code === '0' && said !== '') wrong.push(`words about nothing: ${told}`);
  return wrong;
}

describe('output', () => {
  const tools = needs('bash', 'dd', '/dev/full');
  it('arrives whole or is known not to, in every kind, to every reader', tools, async () => {
    const all = KINDS.flatMap((kind) => READERS.map((reader) => ({ kind, reader })));
    const cases = spread(all, 4);
    const wholes = new Map<string, string>();
    for (const { line, code, isShort } of new Set(cases.map(({ kind }) => kind))) {
      const ran = await runShell(
        `${line} > "$HEDGE_HOME/whole" || rc=$?; cat "$HEDGE_HOME/whole"; exit \${rc:-0}`,
        { env },
      );
      expect({ line, code: ran.code, isShort: ran.out.length <= PIPE_BYTES }).toEqual({
        line,
        code,
        isShort: isShort ?? false,
      });
      wholes.set(line, ran.out);
    }
    const found = await inLanes([1, 2, 3, 4], cases, async (_, { kind, reader }) =>
      wrongIn(await runShell(reader.script(kind.line), { env }), {
        kind,
        reader,
        whole: wholes.get(kind.line) ?? '',
      }),
    );
    expectHeld(GOAL, { runs: cases.length, wrong: found.flat() });
  });

  const [kind, reader] = [KINDS[0], READERS[0]];
  it.each<[string, Partial<BuiltRun>]>([
    ['loses the end', { out: 'begi', err: 'rc 0\n' }],
    ['ends otherwise', { err: 'rc 1\n' }],
    ['shows a stack', { err: '\n    at write (/a/b.js:1:2)\nrc 0\n' }],
    ['is silent about a full disk', { err: 'rc 74\n' }],
  ])('would be known for a program that %s', (_, broken) => {
    if (kind === undefined || reader === undefined) throw new Error('there are none');
    const fine: BuiltRun = { code: 0, signal: null, out: 'begin\nend\n', err: 'rc 0\n' };
    const asked = { kind, reader, whole: fine.out };
    expect(wrongIn(fine, asked)).toEqual([]);
    expect(wrongIn({ ...fine, ...broken }, asked)).not.toEqual([]);
  });
});
