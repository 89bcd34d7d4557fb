/** The disk of one machine is full: nothing is sent from it, a close neither, and its desk goes on. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HEDGE, runProgram } from '../support/built.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import { needs } from '../support/tools.ts';

/** The folder as it is, on a disk without room. `$1`: the folder. */
const WITHOUT_ROOM = `cp -a "$1" "$2" && mount -t tmpfs -o size=2m,mode=700 tmpfs "$1" && cp -a "$2/." "$1" &&
  { cat /dev/zero > "$1/full" 2>/dev/null; shift 2; exec "$@"; }`;

it(
  'a full disk of one machine stops what it would send, and no other machine',
  needs('unshare'),
  async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const bisi = await desk.joined('bisi');
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    const state = join(ada.home, 'state');
    const sent = desk.served.changes().length;
    const env = { ...ada.env, HEDGE_HOME: ada.home };
    let copies = 0;
    const run = (words: string) => {
      copies += 1;
      const copy = `${state}.${copies.toString()}`;
      return runProgram(
        'unshare',
        ['-rm', 'sh', '-c', WITHOUT_ROOM, 'sh', state, copy, ...HEDGE, ...words.split(' ')],
        { env },
      );
    };
    for (const words of ['open USDTNGN sell 500 --tenor 3 --yes --json', 'close USDTNGN buy --yes --json']) {
      const ran = await run(words);
      expect([words, ran.code]).toEqual([words, 78]);
    }
    expect(desk.served.changes()).toHaveLength(sent);
    await bisi.ok('close USDTNGN buy --yes');
    await bisi.ok('open USDTNGN sell 500 --tenor 3 --yes');
    await ada.ok('journal');
    expect((await ada.run('journal --unresolved --json')).document()).toMatchObject({ data: [] });
    for (const machine of [ada, bisi]) await machine.ok('audit verify');
  },
);
