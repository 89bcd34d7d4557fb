/**
 * The treasury desk in front of services that send the specified fields alone, or name the others otherwise: each command
 * does the same, and each figure is the one of a service that sends them all, or is missing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDesk, outcomesOf } from '../support/deals-desk.ts';
import { dayIn } from '../support/exposure-files.ts';
import { WITHOUT_LIMIT } from '../support/served-book.ts';
import { otherValues, type Rewritten, SPARSE_SERVICES } from '../support/sparse-services.ts';
import { ON_A_TERMINAL, type Ran } from '../support/test-cli.ts';

const EXPOSURES = (due: (days: number) => string): string =>
  ['id,due,ngn,direction,certainty', `A,${due(2)},60m,receive,firm`, `B,${due(5)},9m,pay,firm`, ''].join(
    '\n',
  );
const POLICY = {
  buckets: [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }],
  before_days: 2,
  after_days: 2,
  forecast_weight_pct: 50,
};

/** With hedges on both sides, and the files that the commands read. */
async function aTreasury() {
  const desk = await aDesk(WITHOUT_LIMIT);
  await desk.served.opened('buy', 10_000);
  await desk.served.opened('sell', 4_000);
  const due = (days: number): string => dayIn(days, desk.clock.now());
  const [exposures, policy] = [join(desk.home, 'exposures.csv'), join(desk.home, 'policy.json')];
  writeFileSync(exposures, EXPOSURES(due));
  writeFileSync(policy, JSON.stringify(POLICY));
  desk.write(
    ['PAY-1,,buy,,30m,3,300', 'PAY-2,,sell,5k,,1,300'],
    'deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps',
  );
  return {
    ...desk,
    from: (rewrite: Rewritten) => desk.front.meddle(async (line, pass) => rewrite(line, await pass())),
    /** `FILE`: the deals; `COVER`: the operands of cover. */
    hedge: (line: string, ...more: Parameters<typeof desk.run>[1][]) =>
      desk.run(
        line
          .split(' ')
          .flatMap((word) =>
            word === 'FILE'
              ? [join(desk.home, 'deals.csv')]
              : word === 'COVER'
                ? [exposures, '--policy', policy]
                : [word],
          ),
        ...more,
      ),
  };
}

/** Each number of a document under its path; records of the service are the service's own. */
function figuresOf(value: unknown, path = ''): readonly (readonly [string, number])[] {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => figuresOf(inner, `${path}.${name}`));
}
const derivedOf = (ran: Ran): unknown => {
  const { data } = JSON.parse(ran.out);
  return data?.deals ?? data?.derived ?? data;
};

describe.each(SPARSE_SERVICES)('a service %s', (_, rewrite) => {
  it.each([
    'quote USDTNGN buy --ngn 30m -t 3',
    'quote USDTNGN sell --max',
    'quote USDTNGN --sizes 5k,10k,400k --tenor all',
    'quote USDTNGN --sides buy --sizes 5k,10k --markup-bps 35 -t 1',
    'open USDTNGN buy --ngn 30m --tenor 3 --dry-run --yes',
    'open USDTNGN sell --max --tenor 1 --dry-run --yes',
    'add USDTNGN buy --to 15k --dry-run --yes',
    'add USDTNGN buy --ngn 5m --dry-run --yes',
    'deals check FILE',
    'cover COVER',
    'maturities --within 7d',
    'what-if --rate 1600',
    'what-if --rate 1400..1700 --at maturity',
    'what-if --move=-10%,+30%',
  ])('has no wrong figure in %s', async (line) => {
    // Two services of one price at each moment: a command that paces its requests moves time.
    const whole = await (await aTreasury()).hedge(`${line} --json`);
    const desk = await aTreasury();
    desk.from(rewrite);
    const ran = await desk.hedge(`${line} --json`);
    expect([ran.code, ran.err]).toEqual([whole.code, whole.err]);
    const known = new Map(figuresOf(derivedOf(whole)));
    const wrong = figuresOf(derivedOf(ran)).filter(([path, figure]) => known.get(path) !== figure);
    expect(wrong).toEqual([]);
    const shown = await desk.hedge(line, ON_A_TERMINAL);
    expect([shown.code, shown.out.includes('undefined'), shown.out.includes('NaN')]).toEqual([
      whole.code,
      false,
      false,
    ]);
  });

  it('opens deals of a file once, adds up to a size and closes, and sees it done', async () => {
    const desk = await aTreasury();
    desk.from(rewrite);
    const ran = await desk.hedge('deals run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled']]);
    expect(outcomesOf(await desk.hedge('deals run FILE --yes --json'))).toEqual(['filled', 'filled']);
    expect(desk.served.acted('/hedges')).toBe(2);
    const before = await desk.served.openOn('sell');
    desk.clock.pass(1_000);
    const added = await desk.hedge(
      `add USDTNGN sell --to ${String(before + 1_000)} --yes --any-price --json`,
    );
    expect([added.code, await desk.served.openOn('sell')]).toEqual([0, before + 1_000]);
    desk.clock.pass(1_000);
    const closed = await desk.hedge('close USDTNGN sell --yes --json');
    expect([closed.code, await desk.served.openOn('sell')]).toEqual([0, 0]);
    const opened = await desk.hedge(
      'open USDTNGN buy --ngn 3m --tenor 1 --deal-id N-1 --ensure --yes --json',
    );
    expect(opened.code).toBe(0);
    const again = await desk.hedge('open USDTNGN buy --ngn 3m --tenor 1 --deal-id N-1 --ensure --yes --json');
    expect([again.code, desk.served.acted('/hedges')]).toEqual([0, 3]);
  });
});

describe('what the services do not show', () => {
  it.each(SPARSE_SERVICES)('is said in front of a service %s', async (_, rewrite) => {
    const desk = await aTreasury();
    desk.from(rewrite);
    const shown = async (line: string): Promise<string> => (await desk.hedge(line, ON_A_TERMINAL)).out;
    expect(await shown('maturities')).toContain('The positions do not name their sides');
    expect(await shown('cover COVER')).toContain('The positions do not name their sides');
    expect(await shown('what-if --rate 1600')).toMatch(/assumed NDF payoff, not\s+confirmed by the service/);
  });

  it('is never a flat side: a position of another word for its side, and no hedge in the list', async () => {
    const desk = await aTreasury();
    desk.from((line, answer) => {
      const rewrittenTo = otherValues(line, answer);
      if (!line.startsWith('GET /hedges?')) return rewrittenTo;
      return { ...answer, body: JSON.stringify({ data: [], error: null, meta: {} }) };
    });
    const shown = async (line: string): Promise<string> => {
      const { out, err } = await desk.hedge(line, ON_A_TERMINAL);
      return `${out}${err}`.replaceAll(/\s+/g, ' ');
    };
    const unlisted = 'The service shows a position, but no open hedge of it.';
    expect(await shown('maturities')).toContain(`: unknown. ${unlisted}`);
    expect(await shown('what-if --rate 1600')).toContain(unlisted);
    expect(await shown('cover COVER')).toContain('The positions do not name their sides');
    const unclear = 'a position has an unknown side: LONG';
    for (const line of [
      'close USDTNGN buy --dry-run',
      'close USDTNGN buy --if-open --dry-run --yes',
      'add USDTNGN buy --to 20k --dry-run --yes',
      'reduce USDTNGN buy --by 50% --dry-run --yes',
      'open USDTNGN buy 1k --tenor 3 --dry-run --yes',
    ])
      expect(await shown(line)).toContain(unclear);
  });
});
