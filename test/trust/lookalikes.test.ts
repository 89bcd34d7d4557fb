/** S5: an id or a market with a letter of another script is seen for what it is, on every screen and in every sentence. */
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge, aMarket, anAccount, aPosition } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { expectHeld } from '../support/goal.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

/** Cyrillic letters that look like those of PAY-1, USDTNGN and hdg_a1. */
const DEAL = '\u0420\u0410\u0423-1';
const MARKET = 'USD\u0422NGN';
const HEDGE = 'hdg_\u04301';
const LOOKALIKE = /[\u0400-\u04ff]/u;
const SPELLED = String.raw`\u04`;

const hedge = { id: HEDGE, client_reference: DEAL, market: MARKET };
const READINGS: readonly { words: string; path: string; data: unknown }[] = [
  { words: 'markets', path: 'GET /markets', data: [aMarket({ market: MARKET })] },
  { words: 'hedges', path: 'GET /hedges?limit=100', data: [aHedge(hedge)] },
  { words: 'history', path: 'GET /hedges/history', data: [aClosedHedge(hedge)] },
  { words: 'positions', path: 'GET /positions', data: [aPosition({ market: MARKET, side: 'buy' })] },
  { words: 'account', path: 'GET /account', data: anAccount({ venue_id: HEDGE }) },
];

/** A command line to be pasted is as it was typed. */
const wrongIn = (words: string, { out, err }: { out: string; err: string }): readonly string[] => {
  const told = (out + err).replaceAll(/^hedge .*$/gm, '');
  return LOOKALIKE.test(told) || !told.includes(SPELLED) ? [`hedge ${words}: ${out}${err}`] : [];
};

const WIDE = { terminal: { width: 300, isTTY: { stdout: true } } };

describe('a name that looks like another', () => {
  it.each(READINGS)('is spelled out by $words, and is unchanged in the document', async (reading) => {
    const { words, path, data } = reading;
    const cli = cliFor(await scriptedService([on(path, ok(data)), on(path, ok(data)), on(path, ok(data))]));
    const wrong = [
      ...wrongIn(
        words,
        await cli.run(words, { terminal: { width: 300, isTTY: { stdout: true, stderr: true } } }),
      ),
      ...wrongIn(words, await cli.run(words, WIDE)),
    ];
    expectHeld('S5 names that look alike', { runs: 2, wrong });
    expect((await cli.run(`${words} --json`)).document()).toMatchObject({ data });
  });

  it('is spelled out wherever a deal ID is reported, from the preview to the journal', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const open = `open USDTNGN buy 10000 --tenor 3 --yes --deal-id ${DEAL}`;
    const lines = [
      `${open} --dry-run`,
      open,
      `${open} --ensure`,
      open,
      'hedges',
      `hedges ${DEAL}`,
      'journal',
      `journal ${DEAL}`,
      `wait ${DEAL}`,
      `check ${DEAL}x`,
      'close USDTNGN buy --yes --dry-run',
    ];
    const wrong: string[] = [];
    for (const words of lines) wrong.push(...wrongIn(words, await cli.run(words, WIDE)));
    await cli.run('close USDTNGN buy --yes');
    wrong.push(...wrongIn('history', await cli.run('history', WIDE)));
    expectHeld('S5 names that look alike', { runs: lines.length + 1, wrong });
  });
});
