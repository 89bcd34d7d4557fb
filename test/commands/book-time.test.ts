/** Where the practice book is days ahead of this machine, every screen and every list goes by the book's time. */
import { describe, expect, it } from 'vitest';
import { dayIn } from '../support/exposure-files.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

const AHEAD_DAYS = 10;

async function deskAhead() {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run(`practice advance ${AHEAD_DAYS.toString()}d`);
  return cli;
}

const isDated = (value: unknown): value is { meta: { at: string } } =>
  typeof value === 'object' && value !== null && 'meta' in value;
function dayOf(ran: Ran): string {
  const document = ran.document();
  return isDated(document) ? document.meta.at.slice(0, 10) : 'undated';
}

describe('a book ten days ahead', () => {
  const open = 'open USDTNGN sell 1k --tenor 3 --deal-id AHEAD-1 --ensure --yes --json';

  it.each([
    ['a dry run', 'open USDTNGN buy 1k --tenor 3 --dry-run --json'],
    ['nothing to close', 'close USDTNGN buy --if-open --yes --json'],
    ['an examination', 'doctor --json'],
    ['a deal, and the same again', open, open],
  ])('dates %s', async (_, ...lines) => {
    const cli = await deskAhead();
    for (const words of lines) {
      const ran = await cli.run(words);
      expect(ran.code).toBe(0);
      expect([dayIn(AHEAD_DAYS), dayIn(AHEAD_DAYS + 1)]).toContain(dayOf(ran));
    }
  });

  it.each(['hedges', 'history'])('has its own today in %s', async (list) => {
    const cli = await deskAhead();
    const ran = await cli.run(`${list} --since ${dayIn(AHEAD_DAYS - 5)} --until today --json`);
    expect(ran).toMatchObject({ code: 0, err: '' });
    const wrong = await cli.run(`${list} --since ${dayIn(AHEAD_DAYS + 5)} --until today`);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('The time span is empty');
  });

  it('is given no time of this machine where nothing was read of it', async () => {
    const cli = await deskAhead();
    const terminal = { isTTY: true, width: 80 };
    const ran = await cli.run('check', { terminal });
    expect(ran.out + ran.err).toContain('No unknown outcomes');
    expect(ran.out + ran.err).toContain('PRACTICE');
    expect(ran.out + ran.err).not.toContain(' UTC');
  });
});
