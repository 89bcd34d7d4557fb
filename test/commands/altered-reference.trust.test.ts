/** A service that keeps the reference of an open cut, or not at all: the specification does not say that it is kept whole. */
import { describe, expect, it } from 'vitest';
import { aDesk } from '../support/deals-desk.ts';

const LOST_MS = 7 * 60_000;

/** The references of every list and hedge as the service keeps them; the responses of actions may be lost. */
async function aDeskWhere(kept: (reference: string) => string | null) {
  const desk = await aDesk();
  let loses = false;
  desk.front.meddle(async (line, pass) => {
    const answer = await pass();
    if (line === 'POST /hedges' && loses) return 'cut';
    return line.startsWith('GET /hedges')
      ? {
          ...answer,
          body: answer.body.replaceAll(
            /"client_reference":"([^"]*)"/g,
            (_, reference: string) => `"client_reference":${JSON.stringify(kept(reference))}`,
          ),
        }
      : answer;
  });
  return {
    ...desk,
    async lost(line: string) {
      loses = true;
      const ran = await desk.run(line);
      loses = false;
      desk.clock.pass(LOST_MS);
      return ran;
    },
  };
}

const CUT = (reference: string): string => reference.slice(0, 16);
const DROPPED = (): null => null;
const PREFIXED = (reference: string): string => `acct7:${reference}`;
const WHOLE = (reference: string): string => reference;
const OPEN = 'open USDTNGN buy 5k --tenor 3 --yes';
const LONG = 'PAYOUT-2026-11-24-ACME';

describe('an open whose reference the service does not keep', () => {
  it.each([
    ['cut', CUT],
    ['in capitals', (reference: string) => reference.toUpperCase()],
    ['at all', DROPPED],
  ])('(%s) is filled once its response named the hedge', async (_, kept) => {
    const desk = await aDeskWhere(kept);
    expect((await desk.run(`${OPEN} --deal-id ${LONG}`)).code).toBe(0);
  });

  it.each([
    ['cut', OPEN, CUT],
    ['cut', `${OPEN} --deal-id ${LONG}`, CUT],
    ['as it was sent', `${OPEN} --deal-id ${LONG}`, PREFIXED],
    ['as it was sent', `${OPEN} --deal-id A-1`, PREFIXED],
    ['at all', OPEN, DROPPED],
  ])('(%s) is never called failed after its response was lost: %s', async (_, line, kept) => {
    const desk = await aDeskWhere(kept);
    expect((await desk.lost(line)).code).toBe(7);
    const checked = await desk.run('check --json');
    const { error } = JSON.parse(checked.out);
    expect([checked.code, error.code]).toEqual([7, 'outcome_unknown']);
    expect(error.message).toMatch(
      /hdg_\w+ has its market, side and tenor, was opened then, and has .*it may be this one/,
    );
    expect(error.hint).not.toContain('hedge open');
  });

  it.each(['/hedges/add', '/hedges/reduce'] as const)(
    'is not called failed where a colleague has changed its size: %s',
    async (path) => {
      const desk = await aDeskWhere(DROPPED);
      expect((await desk.lost(OPEN)).code).toBe(7);
      await desk.served.colleague(path, { side: 'buy', notional_usd: 1_000 });
      desk.clock.pass(60_000);
      const { code, err } = await desk.run('check');
      expect([code, err]).toEqual([7, expect.stringContaining('it may be this one')]);
    },
  );

  it('is called failed where the only such hedge was opened by another action of this machine', async () => {
    const desk = await aDeskWhere(DROPPED);
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open', once: 3 });
    const lost = await desk.run(`${OPEN} --json`);
    expect(lost.code).toBe(7);
    await admin.clearFaults();
    const id = String(JSON.parse(lost.out).data.action_id);
    expect((await desk.run(`${OPEN} --allow-duplicate --despite ${id}`)).code).toBe(0);
    desk.clock.pass(LOST_MS);
    expect((await desk.run('check')).code).toBe(9);
  });

  it('is called failed beside a hedge of the same terms that a colleague opened under a reference of their own', async () => {
    const desk = await aDeskWhere(WHOLE);
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open', once: 3 });
    expect((await desk.run(OPEN)).code).toBe(7);
    await admin.clearFaults();
    await desk.served.colleague('/hedges', {
      side: 'buy',
      notional_usd: 5_000,
      tenor_days: 3,
      client_reference: 'THEIRS-1',
    });
    desk.clock.pass(LOST_MS);
    expect((await desk.run('check')).code).toBe(9);
  });
});
