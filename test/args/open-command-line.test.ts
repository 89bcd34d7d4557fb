import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCommandLine } from '../../src/args/action-options.ts';
import { completeOpen, readOpenDraft } from '../../src/args/read-action.ts';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { isUnsized, type OpenDraft, type OpenIntent } from '../../src/domain/action-intent.ts';
import { commandText } from '../../src/domain/hint.ts';
import { needs } from '../support/tools.ts';
import { draftOf } from '../wizard/asking.ts';

const DESK = { profile: 'desk' };
function complete(draft: OpenDraft): OpenIntent {
  const typed = completeOpen(draft);
  if (isUnsized(typed)) throw new Error('no notional');
  return typed;
}

const intentOf = (words: string, options: Parameters<typeof draftOf>[1] = {}): OpenIntent =>
  complete(draftOf(words, { tenor: '3', ...options }));

describe('the line that would do the same', () => {
  it.each([
    ['USDTNGN buy 10k', {}, 'hedge open USDTNGN buy 10000 --tenor 3 --profile desk'],
    [
      'usdtngn SELL 1,234.50',
      { dealId: 'PAY-8841', worstPrice: '1535' },
      'hedge open USDTNGN sell 1234.5 --tenor 3 --deal-id PAY-8841 --worst-price 1535 --profile desk',
    ],
    [
      'USDTNGN buy 10k',
      { dealId: "o'clock; rm -rf ~ $(id)", maxCostBps: '-5', yes: true },
      String.raw`hedge open USDTNGN buy 10000 --tenor 3 --deal-id 'o'"'"'clock; rm -rf ~ $(id)' --max-cost-bps=-5 --yes --profile desk`,
    ],
    [
      'USDTNGN buy 10k',
      { wait: false, despite: '7c1e,90ab', idempotencyKey: 'k"1', note: 'invoice 8841' },
      `hedge open USDTNGN buy 10000 --tenor 3 --no-wait --idempotency-key 'k"1' --despite 7c1e,90ab --note 'invoice 8841' --profile desk`,
    ],
  ])('of %s %j', (words, options, line) => {
    expect(commandText(openCommandLine(intentOf(words, options), DESK))).toBe(line);
  });

  it('names the environment that must hold where there is no profile to name', () => {
    expect(commandText(openCommandLine(intentOf('USDTNGN buy 10k'), { expectEnv: 'sandbox' }))).toBe(
      'hedge open USDTNGN buy 10000 --tenor 3 --expect-env sandbox',
    );
  });

  it('pasted into a shell makes the same intent, whatever the words', needs('bash'), async () => {
    const intents = fc.sample(anyIntent, { numRuns: 400, seed: 4 });
    const script = intents
      .map((intent) => `said ${commandText(openCommandLine(intent, DESK).slice(1))}`)
      .join('\n');
    const said = execFileSync('bash', ['--norc'], {
      input: `said() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${script}\n`,
      encoding: 'utf8',
    });
    const lines = said
      .split('\n\0')
      .slice(0, -1)
      .map((line) => line.split('\0').slice(0, -1));
    expect(lines).toHaveLength(intents.length);
    for (const [at, words] of lines.entries()) {
      // oxlint-disable-next-line no-await-in-loop
      const read = await readCommandLine(words, { width: 80 });
      if (read.kind !== 'run') throw new Error(`no command: ${words.join(' ')}`);
      expect(read.globals.profile).toBe('desk');
      expect(complete(readOpenDraft(read.raw))).toEqual(intents[at]);
    }
  });
});

const printable = fc
  .string({
    unit: fc.constantFrom(...`abcXYZ019 '"$\`\\;&|<>(){}[]*?~!#=%^@+-_.,:/`, 'é', 'ナ', '👍'),
    minLength: 1,
    maxLength: 24,
  })
  .filter((text) => text.trim() === text && text !== '');
const cents = (most: number) => fc.integer({ min: 1, max: most }).map((count) => (count / 100).toFixed(2));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const anyIntent: fc.Arbitrary<OpenIntent> = fc
  .record({
    market: fc.constantFrom('USDTNGN', 'usdtkes', 'X-1.a/b'),
    side: fc.constantFrom('buy', 'sell'),
    notional: cents(10 ** 11),
    tenor: fc.constantFrom('1', '3', '7'),
    dealId: maybe(printable),
    ensure: fc.boolean(),
    retryFailed: fc.boolean(),
    price: fc.constantFrom('none', 'any', 'bounds'),
    worstPrice: maybe(cents(10 ** 8)),
    maxCostBps: maybe(fc.integer({ min: -999, max: 999 }).map(String)),
    allowDuplicate: fc.boolean(),
    yes: fc.boolean(),
    dryRun: fc.boolean(),
    wait: fc.boolean(),
    timeout: maybe(fc.integer({ min: 1, max: 86_400_000 }).map((ms) => (ms / 1_000).toFixed(3))),
    idempotencyKey: maybe(fc.stringMatching(/^[!-~]{1,20}$/)),
    despite: maybe(fc.constantFrom('7c1e', '7c1e,90ab12')),
    note: maybe(fc.constantFrom('invoice 8841', "-it's $(id)")),
  })
  .map(({ market, side, notional, price, ...said }) => {
    const ensure = said.ensure && said.dealId !== undefined;
    const options = {
      ...said,
      ensure,
      retryFailed: ensure && said.retryFailed,
      anyPrice: price === 'any',
      worstPrice: price === 'bounds' ? said.worstPrice : undefined,
      maxCostBps: price === 'bounds' ? said.maxCostBps : undefined,
      timeout: said.wait ? said.timeout : undefined,
      idempotencyKey: ensure ? undefined : said.idempotencyKey,
    };
    return complete(readOpenDraft({ operands: [market, side, notional], options }));
  });
