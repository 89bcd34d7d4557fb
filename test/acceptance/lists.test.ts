/** A book with some days behind it, as spreadsheets and scripts read it from the built program. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/domain/exact-json.ts';
import { runShell } from '../support/built.ts';
import { differences, recordsOf } from '../support/csv.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

let env: Readonly<Record<string, string>>;

const prepare = async (): Promise<void> => {
  env = { HEDGE_HOME: temporaryFolder(afterAll), HEDGE_PROFILE: 'practice' };
  for (const line of [
    'practice advance 1d',
    'open USDTNGN buy 10000.5 --tenor 1 --deal-id =PAY-1 --yes',
    'open USDTNGN sell 5k --tenor 3 --deal-id PAY-2 --yes',
    'practice advance 2d',
    'open USDTNGN buy 7k --tenor 3 --deal-id PAY-3 --yes',
    'practice advance 2d',
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, err } = await runHedge(line.split(' '), { env });
    if (code !== 0) throw new Error(err);
  }
};

describe('the lists of a book', needs('bash'), () => {
  beforeAll(prepare);

  it.each(['markets', 'hedges', 'history', 'positions', 'journal'])(
    '%s: CSV says what JSON says',
    async (list) => {
      const csv = await runHedge([list, '--csv'], { env });
      const json = await runHedge([list, '--json'], { env });
      // What moves between one reading and the next is the mid, and what is marked to it.
      const moved = (each: string): boolean => /price|pnl|carry|margin|capacity|rate/.test(each);
      expect(differences(csv.out, json.out).filter((each) => !moved(each))).toEqual([]);
      expect(recordsOf(json.out).length).toBeGreaterThan(0);
      expect(csv.out).toMatch(/^[^\n]*\r\n/);
    },
  );

  it('sum to the same, however it is asked for', async () => {
    const ran = await runShell(
      `hedge history --by day --query data.derived.total.net_pnl_usd
       hedge history --query 'sum(data[].net_pnl_usd)'
       hedge history --by side --csv | wc -l
       hedge history --since 2d --until today --query 'data[].client_reference'`,
      { env },
    );
    const [total, sum, lines, ...lately] = ran.out.trimEnd().split('\n');
    expect(total).toMatch(/^-?\d+(\.\d+)?$/);
    expect(total).toBe(sum);
    expect(lines?.trim()).toBe('3');
    expect(lately).toEqual(['PAY-2']);
  });

  it(
    'give a script its ids without jq, and nothing where something is wrong',
    needs('bash', '/dev/full'),
    async () => {
      const ran = await runShell(
        `for id in $(hedge hedges --side buy --query 'data[].id'); do hedge hedges "$id" --query data.client_reference; done
       rc=0; out=$(hedge hedges hdg_none --query data.id 2>/dev/null) || rc=$?; echo "$rc:$out:"
       rc=0; out=$(hedge hedges hdg_none --csv 2>/dev/null) || rc=$?; echo "$rc:$out:"
       rc=0; hedge history --csv > /dev/full || rc=$?; echo "$rc"`,
        { env },
      );
      expect(ran.out.trimEnd().split('\n')).toEqual(['PAY-3', '=PAY-1', '3::', '3::', '74']);
    },
  );

  it('keep every digit of a query on the way', async () => {
    const [json, picked] = [
      await runHedge(['history', '--json'], { env }),
      await runHedge(['history', '--json', '--query', 'data'], { env }),
    ];
    expect(parseExactJson(picked.out)).toEqual(Object(parseExactJson(json.out)).data);
  });
});
