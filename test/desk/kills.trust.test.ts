/**
 * The built program with a desk, killed at its system calls. A sent action is in the log, or pending here if it is a close. It is
 * done once, on both machines. Both have the same log in the end.
 */
import { expect, it } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { BuiltRun } from '../support/built.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { runHedge } from '../support/in-process.ts';
import { chosenKills, type Kill, killsOf, killText, tracedHedge } from '../support/kill-case.ts';
import type { ChangePath } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

interface Killed {
  name: string;
  /** `n`: another one each time. */
  words(n: number): readonly string[];
  path?: ChangePath;
  before?(desk: DeskOfMachines, machines: { ada: DeskMachine; bisi: DeskMachine }, n: number): Promise<void>;
}

const RESUME = ['resume', '--yes', '--resend', '--json'];

const opened: Killed['before'] = async (_desk, { bisi }) => {
  await bisi.ok('open USDTNGN buy 5000 --tenor 3 --yes --allow-duplicate');
};

const COMMANDS: readonly Killed[] = [
  {
    name: 'open',
    path: '/hedges',
    words: (n) => [
      'open',
      'USDTNGN',
      'sell',
      '500',
      '--tenor',
      '3',
      '--deal-id',
      `PAY-${n.toString()}`,
      '--yes',
      '--json',
    ],
  },
  {
    name: 'add',
    path: '/hedges/add',
    // Each of another size: resuming a twin of the last minute's is refused, with 7.
    words: (n) => ['add', 'USDTNGN', 'buy', (500 + n).toString(), '--yes', '--json'],
    before: opened,
  },
  {
    name: 'close',
    path: '/hedges/close',
    words: () => ['close', 'USDTNGN', 'buy', '--yes', '--json'],
    before: opened,
  },
  { name: 'halt', words: () => ['halt', 'venue down', '--json'] },
  {
    name: 'resume',
    path: '/hedges',
    words: () => RESUME,
    async before({ served }, { ada }, n) {
      const { admin } = served.desk.service;
      await admin.setFaults({ lost_before: 1, only: 'open' });
      await ada.ok(`open USDTNGN sell 500 --tenor 3 --deal-id LOST-${n.toString()} --yes`, { code: 7 });
      await admin.clearFaults();
    },
  },
];

const told = ({ code, signal, out, err }: BuiltRun): string => `${String(code ?? signal)}\n${out}\n${err}`;

it.each(COMMANDS)('$name, killed', needs('strace'), async ({ name, words, path, before }) => {
  const desk = await deskOfMachines();
  // The built program's clock: one on which waiting takes no time would get ahead of it.
  const options = { role: 'approver', clock: systemClock } as const;
  const ada = await desk.joined('ada', options);
  const bisi = await desk.joined('bisi', options);
  const env = { ...ada.env, HEDGE_HOME: ada.home };
  const run = (line: readonly string[], kill?: Kill) => tracedHedge(line, { env, kill: kill?.at });
  let turns = 0;
  const turn = async (kill?: Kill) => {
    turns += 1;
    await before?.(desk, { ada, bisi }, turns);
    const acted = path === undefined ? 0 : desk.served.acted(path);
    return { acted, traced: await run(words(turns), kill) };
  };
  const whole = await turn();
  expect(whole.traced.run).toMatchObject({ code: 0 });
  if (name === 'halt') await bisi.ok('unhalt --yes');
  const all = killsOf(whole.traced).filter(({ loses }) => loses === 'nothing');
  for (const kill of chosenKills(all)) {
    const { acted, traced } = await turn(kill);
    const place = killText({ at: traced.killedAt ?? kill.at, loses: 'nothing' });
    const keys = new Set((await desk.records()).map(({ record }) => record['idempotency_key']));
    for (const sent of desk.served.changes())
      if (name !== 'close' && sent.idempotencyKey !== undefined)
        expect({ place, isInLog: keys.has(sent.idempotencyKey) }).toEqual({ place, isInLog: true });
    const resumed = await runHedge(RESUME, { env });
    expect({ place, how: told(resumed), ends: [0, 8, 10].includes(resumed.code ?? -1) }).toMatchObject({
      ends: true,
    });
    await runHedge(['journal'], { env });
    const keysAfter = new Set((await desk.records()).map(({ record }) => record['idempotency_key']));
    for (const sent of desk.served.changes())
      expect({ place, isInLog: keysAfter.has(sent.idempotencyKey) }).toEqual({ place, isInLog: true });
    if (path !== undefined)
      expect({ place, isOnce: desk.served.acted(path) - acted <= 1 }).toEqual({ place, isOnce: true });
    const status = await Promise.all(
      [ada, bisi].map(async (each) => (await each.run('desk status --json')).document()),
    );
    const seen = status.map((each) => Object(each).data);
    expect({ place, pending: seen.map(({ pending }) => pending) }).toEqual({ place, pending: [0, 0] });
    expect({ place, isHalted: seen[0].halt !== null }).toEqual({ place, isHalted: seen[1].halt !== null });
    if (seen[0].halt !== null) await bisi.ok('unhalt --yes');
    const unresolved = await bisi.run('journal --unresolved --json');
    const { data } = Object(unresolved.document());
    expect({ place, how: told(resumed), data }).toMatchObject({ data: [] });
  }
  for (const machine of [ada, bisi]) await machine.ok('audit verify');
});
