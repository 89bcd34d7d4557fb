/**
 * S8, R14: JSON from anywhere (answers, batches, bodies, every file that is kept) that is too deep, too wide, doubled,
 * half a character or aimed at what every object is made from: an exit code that is written down, within a second of
 * the processor's time, in bounded memory, and nothing is polluted.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES, EXIT_INTERNAL_ERROR } from '../../src/cli/exit-codes.ts';
import { isExecutable } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { type Front, frontOf, type Passed } from '../support/front.ts';
import { aQuarterOf, expectHeld, SOAKING, spread } from '../support/goal.ts';
import { POLLUTING, TEXTS } from '../support/hostile-texts.ts';
import { inLanes } from '../support/lanes.ts';
import { type Measured, measured } from '../support/measured.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import type { ServedBook } from '../support/served-book.ts';
import { loopbackTls } from '../support/tls.ts';
import { wayIn, wholeHome } from '../support/whole-home.ts';
import { forgeLastRecord } from '../support/written-journal.ts';

const GOAL = 'S8 hostile JSON × places';
const DOCUMENTED = EXIT_CODES.filter((code) => code !== EXIT_INTERNAL_ERROR);
/** Where `hedge help` takes HELP_MS of the processor's time; a slower machine has as much more. */
const MOST_CPU_MS = 2_500;
const HELP_MS = 60;
/** Of an answer within the caps, however odd; one without end is held to less. */
const MOST_MB = 300;
const MOST_MB_ENDLESS = 150;
let served: ServedBook;
let whole: string;
let slower = 1;
beforeAll(async () => {
  whole = temporaryFolder(afterAll);
  served = await wholeHome(whole);
  const { cost } = await measured(['help'], { env: wayIn(served, whole) });
  slower = Math.max(1, (cost?.cpuMs ?? 0) / HELP_MS);
});
afterAll(() => served.close());

/** `readings`: how many answers of that kind are read on the way. */
function wrongIn(what: string, { code, err, out, cost }: Measured, readings = 1): readonly string[] {
  const told = `${what}: exit ${String(code)} ${JSON.stringify(cost)} ${err.slice(0, 400)} ${JSON.stringify(out.slice(0, 200))}`;
  const { peakMb, cpuMs, polluted } = cost ?? { peakMb: 0, cpuMs: 0, polluted: false };
  return [
    ...(code === null || !DOCUMENTED.includes(code) ? [`not documented: ${told}`] : []),
    ...(/\n\s+at .+:\d+:\d+|node:internal/.test(out + err) ? [`a stack: ${told}`] : []),
    ...(polluted ? [`polluted: ${told}`] : []),
    ...(cpuMs > MOST_CPU_MS * slower * readings ? [`slow: ${told}`] : []),
    ...(peakMb > MOST_MB ? [`large: ${told}`] : []),
  ];
}

/** Where a text may come from, and what reads it there. */
interface Place {
  name: string;
  read(text: string | Buffer, front: Front): Promise<Measured>;
  readings?: number;
}

const answered = (words: string, body: (text: string | Buffer) => Passed['body'], status = 200): Place => ({
  name: `${status.toString()} to ${words}`,
  async read(text, front) {
    const home = temporaryFolder(() => undefined);
    front.meddle(() => Promise.resolve({ status, headers: {}, body: body(text) }));
    try {
      return await measured(words.split(' '), { env: front.way(home) });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});

const kept = (file: string, words: string): Place => ({
  name: `${file} of ${words}`,
  async read(text) {
    const home = join(
      temporaryFolder(() => undefined),
      'home',
    );
    try {
      cpSync(whole, home, { recursive: true });
      writeFileSync(join(home, file), Buffer.concat([Buffer.from(text), Buffer.from('\n')]), { mode: 0o600 });
      return await measured(words.split(' '), { env: wayIn(served, home) });
    } finally {
      rmSync(join(home, '..'), { recursive: true, force: true });
    }
  },
});

/** As the last record, with a hash that fits it, and a witness. */
const recorded = (words: string): Place => ({
  name: `a record of ${words}`,
  async read(text) {
    const home = join(
      temporaryFolder(() => undefined),
      'home',
    );
    try {
      cpSync(whole, home, { recursive: true });
      forgeLastRecord(home, text.toString());
      return await measured(words.split(' '), { env: wayIn(served, home) });
    } finally {
      rmSync(join(home, '..'), { recursive: true, force: true });
    }
  },
});

const given = (words: string, stdin: (text: string) => string): Place => ({
  name: `standard input of ${words}`,
  async read(text) {
    const home = temporaryFolder(() => undefined);
    try {
      return await measured(words.split(' '), { env: served.way(home), stdin: stdin(text.toString()) });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});

const PLACES: readonly Place[] = [
  answered('account --json', (text) => text.toString('latin1')),
  answered('account', (text) => `{"data":${text.toString()},"error":null,"meta":{}}`),
  answered('hedges --json', (text) => `{"data":[{"id":"hdg_1","x":${text.toString()}}],"error":null}`),
  answered('positions', (text) => `{"data":[{"net_margin_usd":1,"x":${text.toString()}}],"error":null}`),
  answered('history --csv', (text) => `{"data":[{"net_pnl_usd":1,"x":${text.toString()}}],"error":null}`),
  answered('api GET /account', (text) => `{"data":{"x":${text.toString()}},"error":null}`),
  answered(
    'account --query data.x',
    (text) => `{"data":{"balance_usdc":1,"available_exposure_usd":1,"x":${text.toString()}}}`,
  ),
  answered(
    'account --json',
    (text) => `{"data":null,"error":{"code":"x","details":${text.toString()}}}`,
    400,
  ),
  { ...answered('close USDTNGN buy --yes --json', (text) => text.toString('latin1'), 500), readings: 4 },
  given('batch -', (text) => `${text}\n`),
  given('batch -', (text) => `{"command":"hedges","limit":${text}}\n{"command":"hedges",${POLLUTING}}\n`),
  given('api POST /quotes --data -', (text) => text),
  given(
    'api POST /hedges/close --dry-run --data -',
    (text) => `{"market":"USDTNGN","side":"buy","x":${text}}`,
  ),
  kept('config/profiles.json', 'account --json'),
  kept('state/journal.head', 'open USDTNGN buy 10k --tenor 3 --yes --json'),
  recorded('journal --json'),
  recorded('open USDTNGN buy 10k --tenor 3 --yes --json'),
  kept('cache/names/desk.json', '__complete hedges hdg'),
  kept('cache/names/desk.json', 'hedges --json'),
];

/** A service whose every answer begins so and goes on for ever. */
async function endlessService(
  head: string,
): Promise<{ way: (home: string) => Record<string, string>; end: () => Promise<void> }> {
  const tls = await loopbackTls();
  const piece = Buffer.alloc(65_536, 'x');
  const chunk = head.includes('chunked')
    ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
    : piece;
  const server = createServer(tls, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(head);
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  const url = `https://127.0.0.1:${port.toString()}/v2`;
  return {
    way: (home) => ({ ...wayTo({ url, ca: tls.ca }, home), HEDGE_HOME: home }),
    end: () => close(server),
  };
}

describe('JSON', () => {
  it('that is no use to anybody costs little and ends as is written down, wherever it comes from', async () => {
    const lanes: Front[] = [];
    for (let lane = 0; lane < 4; lane += 1) lanes.push(await frontOf(served, temporaryFolder()));
    const all = PLACES.flatMap((place, row) =>
      TEXTS.map((text, column) => ({ place, text, at: row * 3 + column })),
    );
    const cases = SOAKING ? all : aQuarterOf(all.filter(({ at }) => at % 7 === 0));
    const found = await inLanes(lanes, cases, async (front, { place, text: [name, text] }) =>
      wrongIn(`${name} in ${place.name}`, await place.read(text, front), place.readings),
    );
    expectHeld(GOAL, { runs: cases.length, wrong: found.flat() });
  });

  it('that is well but for names in every object that all objects know is read as if they were not there', async () => {
    const front = await frontOf(served, temporaryFolder());
    const home = temporaryFolder();
    const wrong: string[] = [];
    const lines = [
      'markets',
      'quote USDTNGN buy 10k',
      'open USDTNGN buy 10k --tenor 3 --yes',
      'hedges',
      'hedges --csv',
      'hedges --query data',
      'positions --json',
      'history',
      'account',
      'check',
      'journal --json',
      'close USDTNGN buy --yes --json',
    ];
    front.meddle(async (_, pass) => {
      const passed = await pass();
      const body = passed.body.replace(/\{(?=")/g, `{${POLLUTING},`).replaceAll('{}', `{${POLLUTING}}`);
      return { ...passed, body };
    });
    const tried = aQuarterOf(lines);
    for (const line of tried) {
      const ran = await measured(line.split(' '), { env: front.way(home) });
      wrong.push(...wrongIn(line, ran));
      if (ran.code !== 0) wrong.push(`${line} ended with ${String(ran.code)}: ${ran.err}`);
    }
    expectHeld(GOAL, { runs: tried.length, wrong });
  });

  it.skipIf(isExecutable)('without end is given up before it fills the memory', async () => {
    const wrong: string[] = [];
    const heads = [
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":"',
      'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n[',
      'HTTP/1.1 503 X\r\ntransfer-encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx-a: ',
    ];
    const lines = ['account --json', 'hedges', 'doctor', 'close USDTNGN buy --yes --json'];
    const cases = spread(
      heads.flatMap((head) => lines.map((line) => ({ head, line }))),
      5,
    );
    for (const { head, line } of cases) {
      const { way, end } = await endlessService(head);
      const ran = await measured(line.split(' '), { env: way(temporaryFolder()) });
      await end();
      const { peakMb } = ran.cost ?? { peakMb: 0 };
      if (peakMb > MOST_MB_ENDLESS) wrong.push(`${line} took ${peakMb.toString()} MB: ${head}`);
      wrong.push(...wrongIn(`${line}, ${head}`, ran, 4));
    }
    expectHeld('R14 answers without end', { runs: cases.length, wrong });
  });

  const fine: Measured = {
    code: 0,
    signal: null,
    out: '{}',
    err: '',
    cost: { peakMb: 60, cpuMs: 200, polluted: false },
  };
  it.each<[string, Partial<Measured>]>([
    ['dies', { code: null }],
    ['ends with a bug', { code: 1 }],
    ['shows a stack', { err: '\n    at read (/a/b.js:1:2)\n' }],
    ['pollutes', { cost: { peakMb: 60, cpuMs: 200, polluted: true } }],
    ['is slow', { cost: { peakMb: 60, cpuMs: 20_000, polluted: false } }],
    ['takes all there is', { cost: { peakMb: 600, cpuMs: 200, polluted: false } }],
  ])('would be known for a program that %s', (_, broken) => {
    expect(wrongIn('it', fine)).toEqual([]);
    expect(wrongIn('it', { ...fine, ...broken })).toHaveLength(1);
  });
});
