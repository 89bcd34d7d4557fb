import { describe, expect, it } from 'vitest';
import {
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  StoppedError,
} from '../../../src/errors.ts';
import { viewBatchLine, viewRun } from '../../../src/output/views/batch.ts';
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

  it('is left out for one line; planned lines do not count', () => {
    expect(totalOf(line(OPEN, 'planned'), line(OPEN, 'filled'))).toEqual(['']);
  });

  it('counts a line that did not run as not done', () => {
    const notRun = new StoppedError({ code: 'not_run', what: 'Not run.', meaning: 'Nothing was sent.' });
    expect(
      totalOf({ intent: intent(OPEN, TENOR), report: undefined, error: notRun }, line(OPEN, 'filled')).join(
        ' ',
      ),
    ).toMatch(/USDTNGN buy +1 +10,000\.00 +[\d,.]+ +1 /);
  });

  it('has one line alone if earlier results stand between: only the total tells what this run did', () => {
    const { report, ...earlier } = line(OPEN, 'filled');
    expect(
      totalOf(
        { ...earlier, report: report && { ...report, plan: undefined } },
        line('add USDTNGN buy 2k', 'changed'),
      ),
    ).toEqual([
      '',
      'OPENS + ADDS  DONE  OPENED USD  UPFRONT USDC  NOT DONE',
      'USDTNGN buy      1    2,000.00        202.00         0',
      'This run only. Upfront as quoted, in proportion to what filled.',
    ]);
  });
});

describe('a line that a signal stopped', () => {
  const shownFor = (error: InterruptedError): readonly string[] =>
    shown(viewBatchLine({ number: 5, typed: 'close USDTNGN sell --if-open', shown: undefined, error }));

  it('was canceled, and nothing was sent for it', () => {
    expect(shownFor(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }))).toEqual([
      'line 5 CANCELED close USDTNGN sell --if-open',
      '  Stopped by Ctrl-C. Nothing was sent for this line.',
    ]);
  });

  it('is not called canceled once it was sent', () => {
    const waiting = new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.', effect: 'pending' });
    expect(shownFor(waiting)[0]).toBe('line 5 PENDING close USDTNGN sell --if-open');
  });
});
