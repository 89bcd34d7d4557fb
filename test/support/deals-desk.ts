/** A desk that opens deals files, in front of a practice service, with one clock for both. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { frontOf, type Passed } from './front.ts';
import { movingClock, TUESDAY } from './moving-clock.ts';
import { temporaryFolder } from './own-folder.ts';
import { servedBook, WITHOUT_LIMIT } from './served-book.ts';
import { type Ran, type RunOptions, testCli } from './test-cli.ts';

export const DEALS_HEADER = 'deal_id,market,side,notional_usd,tenor_days,worst_price,max_cost_bps,note';
/** No price limit that practice would reach. */
export const LOOSE = ',,300,';

export interface DealResult {
  line: number;
  deal_id: string;
  outcome: string;
  code: string | null;
  earlier: boolean;
  hedge_id: string | null;
  upfront_usdc: number | null;
  execution_price: number | null;
}

interface Answered {
  data: { deals: readonly DealResult[]; derived: { sides: readonly Record<string, unknown>[] } | null };
  error: { code: string; effect: string; message: string; hint?: string } | null;
}

export const answered = (ran: Ran): Answered => JSON.parse(ran.out);
export const outcomesOf = (ran: Ran): readonly string[] =>
  answered(ran).data.deals.map(({ outcome }) => outcome);
export const codesOf = (ran: Ran) => answered(ran).data.deals.map(({ code }) => code);

/** A desk and a service on one clock; `lines`: each request as it arrived. */
export async function aDesk(settings: Record<string, unknown> = WITHOUT_LIMIT, startMs = TUESDAY) {
  const clock = movingClock(startMs);
  const served = await servedBook({ fill_seconds: { min: 1.5, max: 4 }, ...settings }, clock);
  onTestFinished(() => served.close());
  const home = temporaryFolder();
  const front = await frontOf(served, home);
  const lines: string[] = [];
  front.watch((line) => lines.push(line));
  const { run } = testCli({ home, clock, env: front.way(home) });
  const path = join(home, 'deals.csv');
  const references = async (): Promise<readonly string[]> => {
    const { body } = await served.desk.get('/hedges?limit=500', { as: 'test' });
    const hedges: readonly { client_reference: string; status: string }[] = body.data;
    return hedges.filter(({ status }) => status !== 'failed').map((each) => each.client_reference);
  };
  return {
    clock,
    served,
    front,
    home,
    run,
    lines,
    references,
    write: (rows: readonly string[], header = DEALS_HEADER) =>
      writeFileSync(path, [header, ...rows, ''].join('\n')),
    deals: (command: string, options?: RunOptions) => run(`deals ${command.replace('FILE', path)}`, options),
    count: (part: string | RegExp) => lines.filter((line) => line.search(part) !== -1).length,
  };
}

/** Only the fields that the specification names; a position and an account have the two that it shows. */
export function specifiedOnly(line: string, answer: Passed): Passed {
  const keep: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^GET \/positions/, ['net_margin_usd']],
    [/^GET \/account/, ['balance_usdc', 'available_exposure_usd']],
    [/^POST \/hedges$/, ['hedge_id', 'status', 'order_tx_hash']],
  ];
  const fields = keep.find(([on]) => on.test(line))?.[1];
  if (fields === undefined || answer.status >= 300) return answer;
  const document = JSON.parse(answer.body);
  const only = (value: Record<string, unknown>): unknown =>
    Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name)));
  document.data = Array.isArray(document.data) ? document.data.map(only) : only(document.data);
  return { ...answer, body: JSON.stringify(document) };
}

/** The quote with its execution price `bps` worse for a buy. */
export function worse(answer: Passed, bps: number): Passed {
  const document = JSON.parse(answer.body);
  const { pricing } = document.data;
  pricing.execution_price *= 1 + bps / 10_000;
  return { ...answer, body: JSON.stringify(document) };
}
