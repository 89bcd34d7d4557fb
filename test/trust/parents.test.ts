/**
 * S2, from above: where another user could move our folders away, every command that uses them stops before it sends
 * anything, as root and as an ordinary user. What the system itself protects, as it does in /tmp, is used as ever.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEDGE, runProgram, toStart } from '../support/built.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import type { ServedBook } from '../support/served-book.ts';
import { wayIn, wholeHome } from '../support/whole-home.ts';

const GOAL = 'S2 parents of folders';
const US = process.geteuid?.() ?? 0;
const isRoot = US === 0;
const ORDINARY = 1_000;
const THIRD = 65_534;
/** Only root may run a program as somebody else, who must be allowed to read it. */
const hasOrdinary =
  isRoot &&
  spawnSync(HEDGE[0], [...HEDGE.slice(1), '--version'], { uid: ORDINARY, gid: ORDINARY }).status === 0;

interface Role {
  name: string;
  uid: number;
}
const ROLES: readonly Role[] = [
  { name: isRoot ? 'root' : 'an ordinary user', uid: US },
  ...(hasOrdinary ? [{ name: 'an ordinary user', uid: ORDINARY }] : []),
];

let served: ServedBook;
let whole: string;
beforeAll(async () => {
  whole = temporaryFolder(afterAll);
  served = await wholeHome(whole);
});
afterAll(() => served.close());

/** What a folder above ours is. `ours`: below it, of the user who runs the program. */
interface Parent {
  what: string;
  /** Gives the folder that leads to `ours`. */
  arrange(parent: string, ours: string): string;
  isRefused: boolean;
}

const PARENTS: readonly Parent[] = [
  { what: 'of this user alone', isRefused: false, arrange: (_, ours) => ours },
  {
    what: 'shared as /tmp is',
    isRefused: false,
    arrange(parent, ours) {
      chmodSync(parent, 0o1777);
      return ours;
    },
  },
  {
    what: 'writable for every user',
    isRefused: true,
    arrange(parent, ours) {
      chmodSync(parent, 0o777);
      return ours;
    },
  },
  {
    what: 'writable for every user, behind a link',
    isRefused: true,
    arrange(parent, ours) {
      chmodSync(parent, 0o777);
      symlinkSync(ours, join(parent, '..', 'link'));
      return join(parent, '..', 'link');
    },
  },
  ...(isRoot
    ? ([
        {
          what: "another user's",
          isRefused: true,
          arrange(parent, ours) {
            chownSync(parent, THIRD, THIRD);
            return ours;
          },
        },
        {
          what: "shared, and the link is another user's",
          isRefused: true,
          arrange(parent, ours) {
            chmodSync(parent, 0o1777);
            symlinkSync(ours, join(parent, 'link'));
            lchownSync(join(parent, 'link'), THIRD, THIRD);
            return join(parent, 'link');
          },
        },
      ] satisfies Parent[])
    : []),
];

const COMMANDS: readonly string[] = [
  '',
  'markets',
  'quote USDTNGN buy 10k --tenor 3',
  'positions',
  'open USDTNGN buy 10000 --tenor 3 --yes --deal-id PAY-1',
  'add USDTNGN buy 500 --yes',
  'reduce USDTNGN buy 500 --yes',
  'close USDTNGN buy --yes',
  'check',
  'resume --yes',
  'journal',
  'halt "venue down"',
  'unhalt --yes',
  'profile list',
  'profile limit desk --read-only',
  'api GET /account',
  'quote USDTNGN buy 10k --profile practice',
  'practice status',
  'practice advance 1h',
];

interface Case {
  role: Role;
  parent: Parent;
  words: string;
  /** Which of our folders is below it, and whether it was moved away. */
  below: 'everything' | 'state' | 'state that was moved away';
}

const BELOW = ['everything', 'state', 'state that was moved away'] as const;
const casesOf = (isRefused: boolean, commands: readonly string[]): readonly Case[] =>
  ROLES.flatMap((role) =>
    PARENTS.filter((parent) => parent.isRefused === isRefused).flatMap((parent) =>
      commands.flatMap((words) => BELOW.map((below) => ({ role, parent, words, below }))),
    ),
  );

/** Every path below the folder, and itself. */
const allOf = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
];

async function runCase({ role, parent, words, below }: Case) {
  const folder = temporaryFolder(() => undefined);
  try {
    chmodSync(folder, 0o755);
    const above = join(folder, 'above');
    mkdirSync(above, { mode: 0o755 });
    const ours = join(above, 'ours');
    cpSync(whole, ours, { recursive: true });
    for (const path of allOf(ours)) chownSync(path, role.uid, role.uid);
    if (role.uid !== US && parent.what === 'of this user alone') chownSync(above, role.uid, role.uid);
    // Where XDG has it, the folder of the program is one below.
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    for (const name of ['config', 'cache'])
      cpSync(join(ours, name), join(elsewhere, name, 'hedge'), { recursive: true });
    for (const path of allOf(elsewhere)) chownSync(path, role.uid, role.uid);
    const way = parent.arrange(above, ours);
    if (below !== 'everything') renameSync(join(ours, 'state'), join(ours, 'hedge'));
    if (below === 'state that was moved away') renameSync(join(ours, 'hedge'), join(folder, 'away'));
    const { HEDGE_CA_FILE: trusted = '' } = wayIn(served, folder);
    const caFile = join(folder, 'ca.pem');
    cpSync(trusted, caFile);
    chmodSync(caFile, 0o644);
    const env =
      below === 'everything'
        ? { HEDGE_HOME: way }
        : {
            XDG_STATE_HOME: way,
            XDG_CONFIG_HOME: join(elsewhere, 'config'),
            XDG_CACHE_HOME: join(elsewhere, 'cache'),
          };
    const [program, args] = toStart(...words.split(' ').filter((word) => word !== ''));
    const sent = served.changes().length;
    const ran = await runProgram(program, args, {
      env: { HEDGE_CA_FILE: caFile, HOME: folder, ...env },
      ...(role.uid === US ? {} : { uid: role.uid }),
    });
    const told = `${parent.what} above ${below}, as ${role.name}: hedge ${words} ended with ${String(ran.code)}: ${ran.err}${ran.out}`;
    return { ran, told, above, sent: served.changes().length - sent };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Readings of the service and profiles do without it. */
const usesState = (words: string): boolean =>
  words.includes('practice') || !/^(?:profile|markets|quote|positions|api)/.test(words);

it('stops every command where another user could replace a data folder', async () => {
  await served.reset();
  const cases = casesOf(true, COMMANDS).filter(
    ({ below, words }) => below === 'everything' || usesState(words),
  );
  const tried = spread(cases, 12);
  const found = await inLanes([1, 2, 3, 4], tried, async (_, one) => {
    const { ran, told, sent, above } = await runCase(one);
    const isNamed = ran.err.replaceAll(/\s/g, '').includes(above);
    return ran.code === 78 && sent === 0 && isNamed ? [] : [told];
  });
  expectHeld(GOAL, { runs: tried.length, wrong: found.flat() });
});

it('accepts folders below /tmp, a link of their own and folders of root', async () => {
  await served.reset();
  const tried = spread(casesOf(false, ['markets', 'journal', 'practice status']), 4);
  const found = await inLanes([1, 2, 3, 4], tried, async (_, one) => {
    const { ran, told } = await runCase(one);
    return ran.code === 0 ? [] : [told];
  });
  expectHeld(GOAL, { runs: tried.length, wrong: found.flat() });
});

it('offers a shell nothing from a folder that another user could replace', async () => {
  const parent = temporaryFolder();
  cpSync(whole, join(parent, 'desk'), { recursive: true });
  const asked = () =>
    runProgram(...toStart('__complete', '--profile='), { env: { HEDGE_HOME: join(parent, 'desk') } });
  expect((await asked()).out).toContain('desk');
  chmodSync(parent, 0o777);
  expect(await asked()).toMatchObject({ code: 0, out: '', err: '' });
});

it('says in the doctor which folder it is, and what closes it', async () => {
  const parent = temporaryFolder();
  cpSync(whole, join(parent, 'desk'), { recursive: true });
  const examined = async () => {
    const env = wayIn(served, join(parent, 'desk'));
    const { out } = await runProgram(...toStart('doctor', '--json'), { env });
    const { data }: { data: { checks: { check: string; verdict: string; says: string; todo?: string }[] } } =
      JSON.parse(out);
    return data.checks.find(({ check }) => check === 'files');
  };
  chmodSync(parent, 0o770);
  expect(await examined()).toMatchObject({
    verdict: 'warn',
    todo: expect.stringContaining(`chmod g-w ${parent}`),
  });
  chmodSync(parent, 0o777);
  expect(await examined()).toMatchObject({
    verdict: 'fail',
    todo: expect.stringContaining(`chmod o-w ${parent}`),
  });
});
