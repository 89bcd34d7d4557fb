/** Rolls in a journal that may lack some: nothing says that none is due, or that a cover is complete. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aBooksDesk, flat } from '../support/books-desk.ts';
import { damageJournal, rewindJournal } from '../support/written-journal.ts';

const POLICY = {
  buckets: [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};

/** A hedge that settles in a day, and a plan to open it again, whose record is then lost. */
async function lostRoll(harm: (home: string) => unknown) {
  const desk = await aBooksDesk();
  await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id PAY-1 --yes');
  await desk.hedge('roll PAY-1 --tenor 3 --at maturity --yes');
  desk.hours(25);
  harm(desk.home);
  return desk;
}

describe.each([
  ['damaged', (home: string) => damageJournal(home, (record) => record.includes('"kind":"roll"'))],
  ['put back', (home: string) => rewindJournal(home)],
])('with a journal that is %s', (_how, harm) => {
  it('roll run does not say that nothing is due, and exits 78', async () => {
    const { run } = await lostRoll(harm);
    const ran = await run('roll run --due --yes');
    expect([ran.code, ran.out]).toEqual([78, expect.not.stringContaining('No roll is due')]);
    expect(flat(ran.err)).toMatch(/journal\.sqlite (?:is damaged|was put back|lacks)/);
    expect((await run('roll run --due --yes --json')).document()).toMatchObject({
      data: [],
      error: { code: expect.stringMatching(/damaged_file|rewound/), effect: 'none' },
    });
  });

  it('roll show exits 78, and maturities says that rolls may be missing', async () => {
    const { run } = await lostRoll(harm);
    expect((await run('roll show')).code).toBe(78);
    const ran = await run('maturities');
    expect([ran.code, flat(ran.out)]).toEqual([
      0,
      expect.stringContaining('Unfinished rolls may be missing:'),
    ]);
    expect((await run('maturities --json')).document()).toMatchObject({
      meta: { unfinished_rolls: [], trouble: { kind: expect.stringMatching(/damaged|rewound/) } },
    });
  });

  it('cover proposes nothing', async () => {
    const { clock, home, run } = await lostRoll(harm);
    const [exposures, policy] = [join(home, 'exposures.csv'), join(home, 'policy.json')];
    const due = new Date(clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    writeFileSync(exposures, `id,due,ngn,direction,certainty\nINV-1,${due},25000000,receive,firm\n`);
    writeFileSync(policy, JSON.stringify(POLICY));
    const ran = await run(['cover', exposures, '--policy', policy]);
    expect([ran.code, flat(ran.out + ran.err)]).toEqual([
      11,
      expect.stringContaining("this machine's journal may lack actions"),
    ]);
  });
});
