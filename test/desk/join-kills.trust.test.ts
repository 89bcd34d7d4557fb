/** The built program, killed while it brings a journal of many actions to a desk, then told to join again. */
import { expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';
import { storeEarlierActions } from '../support/earlier-actions.ts';
import { spread } from '../support/goal.ts';
import { type Kill, killsOf, killText, tracedHedge } from '../support/kill-case.ts';
import { needs } from '../support/tools.ts';
import { readRecords } from '../support/written-journal.ts';

/** More than one page of records. The trace of 900 actions is longer than a string can be. */
const ACTIONS = 500;

async function aMachineWithActions() {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const one = readRecords(ada.home);
  storeEarlierActions(ada.home, { one, last: one, count: ACTIONS - 1 });
  const words = ['desk', 'join', ada.url, '--ca-file', desk.caFile];
  const env = { ...ada.env, HEDGE_HOME: ada.home };
  return { desk, ada, words, join: (kill?: Kill) => tracedHedge(words, { env, kill: kill?.at }) };
}

it(
  'a join that is killed at any system call goes on when it is repeated, with each action once',
  needs('strace'),
  async () => {
    const whole = await (await aMachineWithActions()).join();
    expect(whole.run).toMatchObject({ code: 0 });
    const all = killsOf(whole).filter(({ loses }) => loses === 'nothing');
    const kills = spread(all, 45);
    const delivered = new Set<string>();
    for (const kill of kills) {
      const { desk, ada, words, join } = await aMachineWithActions();
      const { killedAt } = await join(kill);
      const place = killText({ at: killedAt ?? kill.at, loses: 'nothing' });
      const before = (await desk.records()).filter(({ record }) => record.kind === 'intent').length;
      delivered.add(before === 0 ? 'none' : before < ACTIONS ? 'some' : 'all');
      await ada.ok(words);
      const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
      const ids = new Set(intents.map(({ record }) => record.action_id));
      expect({ place, actions: intents.length, ids: ids.size }).toEqual({
        place,
        actions: ACTIONS,
        ids: ACTIONS,
      });
      const used = await ada.run('open USDTNGN buy 700 --tenor 3 --deal-id OLD-7 --yes --json');
      expect({ place, code: Object(used.document()).error.code }).toEqual({ place, code: 'deal_id_used' });
      await ada.ok('open USDTNGN sell 700 --tenor 3 --deal-id NEW-1 --yes');
      await ada.ok('audit verify');
    }
    process.stderr.write(
      `killed in ${kills.length.toString()} of ${all.length.toString()} ways; of the actions the log had ${[...delivered].join(', ')}\n`,
    );
  },
);
