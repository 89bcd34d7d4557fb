/** The built program, killed while its machine leaves a desk, comes back to it, or joins another one: then it is told to again. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installLog } from '../../src/desk/install-log.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { spread } from '../support/goal.ts';
import { type Kill, killsOf, killText, tracedHedge } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ADMIN_PASSWORD } from '../support/postgres.ts';
import type { Ran } from '../support/test-cli.ts';
import { needs } from '../support/tools.ts';
import { copyFolder } from '../support/written-journal.ts';
import { aLog, recordId } from './a-log.ts';

const codeOf = (ran: Ran): unknown => Object(ran.document()).error?.code;

interface Case {
  desk: DeskOfMachines;
  ada: DeskMachine;
  /** Of the desk that ada is to follow in the end. */
  bisi: DeskMachine;
  words: readonly string[];
  intents(): Promise<readonly unknown[]>;
}

async function unknownOpen({ served }: DeskOfMachines, ada: DeskMachine): Promise<void> {
  const { admin } = served.desk.service;
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await ada.ok('open USDTNGN sell 500 --tenor 3 --deal-id PAY-3 --yes', { code: 7 });
  await admin.clearFaults();
}

async function joinedWithDeal(): Promise<Pick<Case, 'desk' | 'ada'>> {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  return { desk, ada };
}

/** It has gone on alone, and is halted. */
async function left(): Promise<Pick<Case, 'desk' | 'ada'>> {
  const { desk, ada } = await joinedWithDeal();
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  await unknownOpen(desk, ada);
  await ada.ok(['halt', 'venue down']);
  return { desk, ada };
}

const dealsIn = (records: readonly { kind: string; deal_id?: unknown }[]): readonly unknown[] =>
  records.filter(({ kind }) => kind === 'intent').map((each) => each.deal_id);

async function comingBack(): Promise<Case> {
  const { desk, ada } = await left();
  const bisi = await desk.joined('bisi', { role: 'approver' });
  const intents = async () => dealsIn((await desk.records()).map(({ record }) => record));
  return { desk, ada, bisi, words: ['desk', 'join', ada.url, '--ca-file', desk.caFile], intents };
}

async function joiningAnother(): Promise<Case> {
  const { desk, ada } = await left();
  const log = await aLog({ isEmpty: true, server: desk.log.server });
  const [first] = await desk.records();
  const founding = {
    id: recordId('lagos-2'),
    record: JSON.stringify({ ...first?.record, name: 'lagos-2' }),
  };
  const connection = await log.connect('postgres', ADMIN_PASSWORD);
  await installLog(connection, { name: 'lagos-2', founding });
  connection.close();
  const wordsOf = async (machine: DeskMachine): Promise<readonly string[]> => {
    const { user, password, client } = await log.login(machine.name, 'approver');
    await client.end();
    appendFileSync(join(machine.home, '.pgpass'), `*:*:*:${user}:${password}\n`);
    return ['desk', 'join', log.url(user), '--ca-file', desk.caFile];
  };
  const bisi = await desk.machine('bisi');
  await bisi.ok(await wordsOf(bisi));
  const intents = async () => {
    const { rows } = await log.owner.query<{ record: string }>(
      'SELECT record FROM hedge.records ORDER BY seq',
    );
    return dealsIn(rows.map(({ record }) => JSON.parse(record)));
  };
  return { desk, ada, bisi, words: await wordsOf(ada), intents };
}

const run = ({ ada, words }: Pick<Case, 'ada' | 'words'>, kill?: Kill) =>
  tracedHedge(words, { env: { ...ada.env, HEDGE_HOME: ada.home }, kill: kill?.at });

/** In a copy of its home: this process has the databases of the first one open, and must not have files that another one ends with. */
async function apart<T extends Pick<Case, 'desk' | 'ada' | 'words'>>(make: () => Promise<T>): Promise<T> {
  const made = await make();
  const home = join(temporaryFolder(), 'home');
  copyFolder(made.ada.home, home);
  const passwords = readFileSync(join(home, '.pgpass'));
  const ada = await made.desk.machine('ada', { home, as: made.ada });
  writeFileSync(join(home, '.pgpass'), passwords);
  return { ...made, ada };
}

async function eachKill<T extends Pick<Case, 'desk' | 'ada' | 'words'>>(
  make: () => Promise<T>,
  look: (made: T, place: string) => Promise<void>,
): Promise<void> {
  const whole = await run(await apart(make));
  expect(whole.run).toMatchObject({ code: 0 });
  const all = killsOf(whole).filter(({ loses }) => loses === 'nothing');
  for (const kill of spread(all, 10)) {
    const made = await apart(make);
    const { killedAt } = await run(made, kill);
    await look(made, killText({ at: killedAt ?? kill.at, loses: 'nothing' }));
  }
}

it.each([
  ['comes back to its desk', comingBack],
  ['joins another desk', joiningAnother],
])(
  'a machine that %s, killed at any system call, opens nothing until it has, and then nothing is missing or halted',
  needs('strace'),
  async (_what, make) => {
    await eachKill(make, async ({ ada, bisi, words, intents }, place) => {
      const between = await ada.run('open USDTNGN buy 800 --tenor 7 --yes --json');
      expect([place, ['halted', 'desk_joined'].includes(String(codeOf(between)))]).toEqual([place, true]);
      const again = await ada.run(words);
      expect([place, again.code, again.err]).toEqual([place, 0, again.err]);
      expect([place, await intents()]).toEqual([place, ['PAY-1', 'PAY-2', 'PAY-3']]);
      expect([place, codeOf(await bisi.run('open USDTNGN buy 800 --tenor 7 --yes --json'))]).toEqual([
        place,
        'halted',
      ]);
      expect([place, (await bisi.run('journal halts')).out.match(/venue down/g)?.length]).toEqual([place, 1]);
      await bisi.ok('unhalt --yes');
      expect([place, codeOf(await ada.run('open USDTNGN sell 700 --tenor 3 --yes --json'))]).toEqual([
        place,
        'unresolved',
      ]);
      await ada.ok('check PAY-3');
      await ada.ok('open USDTNGN sell 700 --tenor 3 --yes');
      for (const machine of [ada, bisi]) await machine.ok('audit verify');
    });
  },
);

it(
  'a machine that leaves its desk, killed at any system call, still knows all of it',
  needs('strace'),
  async () => {
    await eachKill(
      async () => {
        const { desk, ada } = await joinedWithDeal();
        await unknownOpen(desk, ada);
        return { desk, ada, words: ['desk', 'leave', '--yes'] };
      },
      async ({ desk, ada, words }, place) => {
        const again = await ada.run([...words, '--json']);
        expect([place, again.code === 0 || codeOf(again) === 'no_desk']).toEqual([place, true]);
        const used = await ada.run('open USDTNGN buy 700 --tenor 7 --deal-id PAY-1 --yes --json');
        expect([place, codeOf(used)]).toEqual([place, 'deal_id_used']);
        expect([place, codeOf(await ada.run('open USDTNGN sell 700 --tenor 3 --yes --json'))]).toEqual([
          place,
          'unresolved',
        ]);
        await ada.ok('check PAY-3');
        await ada.ok('open USDTNGN sell 700 --tenor 3 --deal-id PAY-4 --yes');
        await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
        expect([place, dealsIn((await desk.records()).map(({ record }) => record))]).toEqual([
          place,
          ['PAY-1', 'PAY-3', 'PAY-4'],
        ]);
        await ada.ok('audit verify');
      },
    );
  },
);
