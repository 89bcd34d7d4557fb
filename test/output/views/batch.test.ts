import { describe, expect, it } from 'vitest';
import {
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  StoppedError,
} from '../../../src/errors.ts';
import { viewRun } from '../../../src/output/views/batch.ts';
import { tallyBatch } from '../../../src/runs/tally-batch.ts';
import type { ActionReport } from '../../../src/trading/report.ts';
import { big, intent, planOf } from '../../trading/facts.ts';
import { shown } from './shown.ts';

const OPEN = 'open USDTNGN buy 10k';
const TENOR = { tenor: '3' };

/** A line of a batch with this outcome; `filled`: USD. */
function line(
  words: string,
  outcome: ActionReport['outcome'],
  { filled, error }: { filled?: string; error?: ActionReport['finding'] } = {},
): Parameters<ReturnType<typeof tallyBatch>['count']>[0] {
  const options = words.startsWith('open') ? TENOR : {};
  const report: ActionReport = {
    entry: undefined,
    plan: planOf(words, { options }),
    outcome,
    effect: error?.effect ?? 'done',
    warnings: [],
    hedge: undefined,
    position: undefined,
    hedges: undefined,
    derived: filled === undefined ? {} : { filled_notional_usd: big(filled) },
    finding: error,
    servedAt: undefined,
  };
  return { intent: intent(words, options), report, error };
}

function totalOf(...lines: readonly ReturnType<typeof line>[]): readonly string[] {
  const tally = tallyBatch();
  for (const each of lines) tally.count(each);
  return shown(viewRun(tally.totals()));
}

describe('the total of a batch that ran', () => {
  const failed = new OrderFailedError({ what: 'The order failed.' });
  const unknown = new OutcomeUnknownError({ what: 'No response.' });
  const partial = new PartialFillError({ what: 'Filled in part.' });

  it('has opened, upfront and failed per side, and a partial fill with its share', () => {
    expect(
      totalOf(
        line(OPEN, 'filled', { filled: '10000' }),
        line(OPEN, 'filled', { filled: '6000', error: partial }),
        line(OPEN, 'failed', { error: failed }),
        line('open USDTNGN sell 10k', 'filled'),
      ),
    ).toEqual([
      '',
      'OPENS + ADDS  DONE  OPENED USD  UPFRONT USDC  NOT DONE',
      'USDTNGN buy      2   16,000.00      1,616.00         1',
      'USDTNGN sell     1   10,000.00      1,010.00         0',
      'This run only. Upfront as quoted, in proportion to what filled.',
    ]);
  });

  it('counts a line without an outcome in a column of its own, and as nothing opened', () => {
    expect(
      totalOf(line(OPEN, 'submitted'), line(OPEN, 'unknown', { error: unknown }), line(OPEN, 'filled')),
    ).toEqual([
      '',
      'OPENS + ADDS  DONE  OPENED USD  UPFRONT USDC  NOT DONE  NO OUTCOME YET',
      'USDTNGN buy      1   10,000.00      1,010.00         0               2',
      'This run only. Upfront as quoted, in proportion to what filled.',
    ]);
  });

  it('is left out for one line; lines that did not run, planned lines and earlier results do not count', () => {
    const notRun = new StoppedError({ code: 'not_run', what: 'Not run.', meaning: 'Nothing was sent.' });
    const { intent: same, report } = line(OPEN, 'filled');
    expect(
      totalOf(
        { intent: same, report: undefined, error: notRun },
        line(OPEN, 'planned'),
        { intent: same, report: report && { ...report, plan: undefined }, error: undefined },
        line(OPEN, 'filled'),
      ),
    ).toEqual(['']);
  });
});
