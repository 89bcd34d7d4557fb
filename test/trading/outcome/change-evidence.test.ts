import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hedge } from '../../../src/client/schemas.ts';
import { sum } from '../../../src/domain/amounts.ts';
import { sideEffect } from '../../../src/domain/expected-effect.ts';
import { scaleDown } from '../../../src/domain/exposure.ts';
import type { IntentRecord } from '../../../src/journal/records.ts';
import { beforeState } from '../../../src/trading/journal-entry.ts';
import {
  changeEvidence,
  type Evidence,
  type SideIntent,
} from '../../../src/trading/outcome/change-evidence.ts';
import { anIntent } from '../../journal/records.ts';
import type { Body } from '../../spec/bodies.ts';
import { big, hedge, position, sideBook } from '../facts.ts';

type Before = IntentRecord['before'];
type Asked = 'add' | 'reduce' | 'close';

const was = (id: string, notional: string | null, status: string | null = 'filled') => ({
  hedge_id: id,
  notional_usd: notional,
  status,
});
const TWO: Before = {
  hedges: [was('hdg_B', '30000'), was('hdg_A', '10000')],
  in_positions: true,
  service_at: '2026-11-20T11:59:00Z',
};

function asked(action: Asked, notional: string | undefined, before: Before = TWO): SideIntent {
  const size = action === 'close' ? {} : { notional_usd: notional ?? '5000' };
  const effect = sideEffect(anIntent({ action, before, ...size }));
  if (effect === undefined) throw new Error(`${action} has no effect on a side`);
  return { before, effect };
}

const A = (notional: number, changes: Body = {}): Hedge => hedge('hdg_A', notional, changes);
const B = (notional: number, changes: Body = {}): Hedge => hedge('hdg_B', notional, changes);
const N = (notional: number, changes: Body = {}): Hedge => hedge('hdg_N', notional, changes);
const GONE = { status: 'closed' };
/** The service's time is noon of the 20th. */
const MATURED = { maturity_at: '2026-11-20T11:59:00Z' };

/** `exact`, or the kind and what is said. */
function told(evidence: Evidence): string {
  const message = 'message' in evidence ? evidence.message : undefined;
  return message === undefined ? evidence.kind : `${evidence.kind}: ${message}`;
}
const changes = (evidence: Evidence): readonly string[] =>
  'hedges' in evidence
    ? evidence.hedges.map(({ id, before, after }) => `${id} ${before.toFixed()} -> ${after.toFixed()}`)
    : [];
const SAME = [B(30_000), A(10_000)];

describe('the book after an add of 5,000', () => {
  it.each<[string, readonly Hedge[], string]>([
    ['shows one hedge grown by it', [B(35_000), A(10_000)], 'exact'],
    ['shows the other one grown by it', [B(30_000), A(15_000)], 'exact'],
    ['shows it but for the rounding of micro-USD', [B(35_000.0000004), A(10_000)], 'exact'],
    ['shows it, and a trace of another change', [B(35_000), A(9_999.9999997)], 'exact'],
    ['shows a new hedge besides', [N(5_000), B(35_000), A(10_000)], 'exact'],
    ['shows a hedge matured besides', [B(35_000), A(10_000, MATURED)], 'exact'],
    ['shows nothing', SAME, 'none'],
    ['shows a new hedge of that size alone', [N(5_000), ...SAME], 'none'],
    ['shows a new hedge in a status of its own', [N(5_000, { status: 'rolling' }), ...SAME], 'none'],
    [
      'shows another growth',
      [B(34_999.99), A(10_000)],
      'other: hdg_B 30,000.00 USD -> 34,999.99 USD: not exactly as requested',
    ],
    [
      'shows the growth spread',
      [B(32_500), A(12_500)],
      'other: hdg_B 30,000.00 USD -> 32,500.00 USD, hdg_A 10,000.00 USD -> 12,500.00 USD: not exactly as requested',
    ],
    [
      'shows the growth and a cut besides',
      [B(35_000), A(9_000)],
      'other: hdg_B 30,000.00 USD -> 35,000.00 USD, hdg_A 10,000.00 USD -> 9,000.00 USD: not exactly as requested',
    ],
    [
      'shows the growth and a hedge that left',
      [B(35_000), A(10_000, GONE)],
      'other: hdg_B 30,000.00 USD -> 35,000.00 USD, hdg_A 10,000.00 USD closed: not exactly as requested',
    ],
    [
      'shows that a hedge has matured, and no more',
      [B(30_000), A(10_000, MATURED)],
      'unclear: hdg_A 10,000.00 USD is past its maturity, so the change can no longer be seen',
    ],
    [
      'shows a hedge on its way again',
      [B(30_000, { status: 'submitted' }), A(10_000)],
      'unclear: hdg_B is submitted',
    ],
  ])('%s', (_, hedges, message) => {
    expect(told(changeEvidence(asked('add', '5000'), sideBook({ hedges })))).toBe(message);
  });

  it('gives each hedge that stood before, as it is now', () => {
    const evidence = changeEvidence(asked('add', '5000'), sideBook({ hedges: [N(1), B(35_000), A(10_000)] }));
    expect(changes(evidence)).toEqual(['hdg_B 30000 -> 35000', 'hdg_A 10000 -> 10000']);
  });

  it('may have fallen on a hedge that was filled in between', () => {
    const before = {
      hedges: [was('hdg_B', '30000', 'submitted'), was('hdg_A', '10000')],
      in_positions: true,
    };
    const grown = sideBook({ hedges: [B(35_000), A(10_000)] });
    expect(told(changeEvidence(asked('add', '5000', before), grown))).toBe('exact');
    const failed = sideBook({ hedges: [B(30_000, { status: 'failed' }), A(15_000)] });
    expect(told(changeEvidence(asked('add', '5000', before), failed))).toBe('exact');
  });

  it('is unknown where a hedge may be on another page', () => {
    const sidePosition = sideBook({ hedges: [B(35_000)], mayBeCut: true });
    expect(told(changeEvidence(asked('add', '5000'), sidePosition))).toBe(
      'unclear: hdg_A is missing from an incomplete list of hedges',
    );
  });

  it('is neither called ours nor missing where other hedges may be on another page', () => {
    for (const hedges of [SAME, [B(35_000), A(12_000)]])
      expect(told(changeEvidence(asked('add', '5000'), sideBook({ hedges, mayBeCut: true })))).toBe(
        'unclear: the list of hedges may be incomplete, so the change cannot be told',
      );
    const scaled = sideBook({ hedges: [B(29_000), A(9_666.67)], mayBeCut: true });
    expect(told(changeEvidence(asked('reduce', '5000'), scaled))).toBe(
      'unclear: the list of hedges may be incomplete, so the change cannot be told',
    );
  });

  it.each<[string, Before, string]>([
    ['what stood before', { hedges: [], in_positions: null }, 'the side before the action is not known'],
    [
      'how large a hedge was',
      { hedges: [was('hdg_A', null)], in_positions: true },
      'the earlier size of hdg_A is not known',
    ],
  ])('is unknown without %s', (_, before, why) => {
    const evidence = changeEvidence(asked('add', '5000', before), sideBook({ hedges: [A(15_000)] }));
    expect(told(evidence)).toBe(`unclear: ${why}`);
  });

  it('is not called undone where the position says that something was done', () => {
    const sidePosition = sideBook({ hedges: SAME, positions: [position({ notional_usd: 45_000 })] });
    expect(told(changeEvidence(asked('add', '5000'), sidePosition))).toContain(
      'unclear: the hedges total 40,000.00',
    );
  });
});

describe('the book after a reduction', () => {
  it.each<[string, string, readonly Hedge[], string]>([
    ['in proportion', '10000', [B(22_500), A(7_500)], 'exact'],
    ['in proportion, with a new hedge besides', '10000', [N(3), B(22_500), A(7_500)], 'exact'],
    ['in proportion, each rounded', '10000.01', [B(22_499.992499), A(7_499.997501)], 'exact'],
    ['off one hedge', '10000', [B(20_000), A(10_000)], 'exact'],
    ['of about everything', '39600', [B(30_000, GONE), A(10_000, GONE)], 'exact'],
    ['of about everything, from a list that forgets', '40000', [N(3)], 'exact'],
    ['that is not there yet', '10000', SAME, 'none'],
    ['of another size', '10000', [B(22_500), A(7_499.98)], 'other'],
    ['in proportion, each in whole cents', '1000.01', [B(29_250), A(9_750)], 'exact'],
    ['in proportion, and a cent more', '10000', [B(22_499.99), A(7_499.99)], 'other'],
    ['beside a trace of growth', '10000', [B(20_000), A(10_000.0000003)], 'exact'],
    ['beside a growth', '10000', [B(15_000), A(15_000)], 'other'],
    ['that took all where part was asked', '20000', [B(30_000, GONE), A(10_000, GONE)], 'other'],
    ['of all but what has matured', '39600', [B(30_000, GONE), A(10_000, MATURED)], 'exact'],
    [
      'where a hedge of its size settled within the second of the reading',
      '10000',
      [B(30_000), A(10_000, { ...GONE, maturity_at: '2026-11-20T12:00:00.9Z' })],
      'unclear',
    ],
    ['off one hedge, closed before its maturity', '10000', [B(30_000), A(10_000, GONE)], 'exact'],
    ['where all has matured', '39600', [B(30_000, MATURED), A(10_000, MATURED)], 'unclear'],
    ['where a maturing is all there is', '10000', [B(30_000), A(10_000, MATURED)], 'unclear'],
    ['where part may have gone with what matured', '10000', [B(22_500), A(10_000, MATURED)], 'other'],
  ])('shows what is known of it: %s', (_, notional, hedges, kind) => {
    expect(changeEvidence(asked('reduce', notional), sideBook({ hedges })).kind).toBe(kind);
  });

  it('of about everything leaves alone what was filled only afterwards', () => {
    const before = {
      hedges: [was('hdg_B', '30000', 'submitted'), was('hdg_A', '10000')],
      in_positions: true,
    };
    const sidePosition = sideBook({ hedges: [B(30_000), A(10_000, GONE)] });
    expect(told(changeEvidence(asked('reduce', '9950', before), sidePosition))).toBe('exact');
  });

  it('of about everything is recognized by the side that is gone, whatever page the hedges are on', () => {
    const sidePosition = sideBook({ hedges: [], positions: [], mayBeCut: true });
    expect(told(changeEvidence(asked('reduce', '40000'), sidePosition))).toBe('exact');
  });

  it('takes a hedge whose status before is not known for one that held', () => {
    const before = { hedges: [was('hdg_A', '10000', null)], in_positions: true };
    const sidePosition = sideBook({ hedges: [A(9_000)] });
    expect(told(changeEvidence(asked('reduce', '1000', before), sidePosition))).toBe('exact');
  });

  it('names at most five hedges', () => {
    const ids = Array.from({ length: 8 }, (_, at) => `hdg_${at}`);
    const before = { hedges: ids.map((id) => was(id, '100')), in_positions: true };
    const sidePosition = sideBook({ hedges: ids.map((id) => hedge(id, 1)) });
    const message = told(changeEvidence(asked('reduce', '5', before), sidePosition));
    expect(message).toContain('hdg_4 100.00 USD -> 1.00 USD and 3 more: not exactly as requested');
  });

  it('cannot be measured on hedges of which some are on another page', () => {
    const sidePosition = sideBook({ hedges: [B(22_500)], mayBeCut: true });
    expect(changeEvidence(asked('reduce', '10000'), sidePosition).kind).toBe('unclear');
  });
});

describe('what has matured beside a change', () => {
  it.each<[string, SideIntent, readonly Hedge[], readonly string[]]>([
    ['an add', asked('add', '5000'), [B(35_000), A(10_000, MATURED)], ['hdg_B 30000 -> 35000']],
    ['a reduction', asked('reduce', '5000'), [B(25_000), A(10_000, MATURED)], ['hdg_B 30000 -> 25000']],
    [
      'a reduction that left nothing',
      asked('reduce', '30000'),
      [B(30_000, GONE), A(10_000, { ...MATURED, ...GONE })],
      ['hdg_B 30000 -> 0'],
    ],
    [
      'a close',
      asked('close', undefined),
      [B(30_000, GONE), A(10_000, { ...MATURED, ...GONE })],
      ['hdg_B 30000 -> 0'],
    ],
    [
      'a close, within the second of the reading',
      asked('close', undefined),
      [B(30_000, GONE), A(10_000, { ...GONE, maturity_at: '2026-11-20T12:00:00.9Z' })],
      ['hdg_B 30000 -> 0'],
    ],
  ])('is no change of %s', (_, intent, hedges, seen) => {
    const positions = hedges.some(({ status }) => status === 'filled') ? [position()] : [];
    const evidence = changeEvidence(intent, sideBook({ hedges, positions }));
    expect([evidence.kind, changes(evidence)]).toEqual(['exact', seen]);
  });
});

describe('three hedges of a service that keeps sizes in whole cents', () => {
  const THREE = ['hdg_1', 'hdg_2', 'hdg_3'];
  const before = { hedges: THREE.map((id) => was(id, '10000')), in_positions: true };
  const now = (...sizes: readonly number[]) =>
    sideBook({ hedges: sizes.map((size, at) => hedge(THREE[at] ?? '', size)) });

  it('show a reduction whose cents do not add up', () => {
    for (const sizes of [
      [9_666.67, 9_666.67, 9_666.67],
      [9_666.66, 9_666.67, 9_666.67],
      [9_666.66, 9_666.66, 9_666.67],
    ])
      expect(told(changeEvidence(asked('reduce', '1000', before), now(...sizes)))).toBe('exact');
    for (const sizes of [
      [9_666.66, 9_666.66, 9_666.66],
      [9_666.68, 9_666.67, 9_666.67],
    ])
      expect(changeEvidence(asked('reduce', '1000', before), now(...sizes)).kind).toBe('other');
  });
});

describe('the book after a close', () => {
  it.each<[string, { hedges: readonly Hedge[]; positions?: [] }, string]>([
    ['shows the side gone', { hedges: [B(30_000, GONE), A(10_000, GONE)], positions: [] }, 'exact'],
    ['shows the side gone and hedges that still say filled', { hedges: SAME, positions: [] }, 'exact'],
    ['shows the side gone from a list that forgets', { hedges: [], positions: [] }, 'exact'],
    [
      'shows another hedge where the old ones were',
      { hedges: [N(7_000), B(30_000, GONE), A(10_000, GONE)] },
      'exact: hdg_N 7,000.00 USD was opened on the side since',
    ],
    [
      'shows the side gone, and a hedge at the size of another order before',
      { hedges: [B(30_000, GONE), A(15_000, GONE)], positions: [] },
      'exact: hdg_A is listed as closed at 15,000.00 USD',
    ],
    [
      'shows the side gone, and with it what was opened after the reading',
      {
        hedges: [
          N(7_000, { ...GONE, filled_at: '2026-11-20T11:59:30Z' }),
          hedge('hdg_old', 1_000, { ...GONE, filled_at: '2026-11-20T09:00:00Z' }),
          B(30_000, GONE),
          A(10_000, GONE),
        ],
        positions: [],
      },
      'exact: hdg_N 7,000.00 USD was opened on the side since and is closed too',
    ],
    ['shows nothing', { hedges: SAME }, 'none'],
    ['shows nothing but a new hedge', { hedges: [N(7_000), ...SAME] }, 'none'],
    [
      'shows one hedge gone',
      { hedges: [B(30_000), A(10_000, GONE)] },
      'other: hdg_A 10,000.00 USD closed: not exactly as requested',
    ],
    [
      'shows a cut',
      { hedges: [B(15_000), A(5_000)] },
      'other: hdg_B 30,000.00 USD -> 15,000.00 USD, hdg_A 10,000.00 USD -> 5,000.00 USD: not exactly as requested',
    ],
    [
      'shows the side gone by maturing',
      { hedges: [B(30_000, MATURED), A(10_000, MATURED)], positions: [] },
      'other: hdg_B 30,000.00 USD is past its maturity, hdg_A 10,000.00 USD is past its maturity: not exactly as requested',
    ],
    [
      'shows what was there matured, and another hedge in its place',
      { hedges: [N(7_000), B(30_000, MATURED), A(10_000, MATURED)] },
      'other: hdg_B 30,000.00 USD is past its maturity, hdg_A 10,000.00 USD is past its maturity: not exactly as requested',
    ],
    [
      'shows one hedge matured, the other gone',
      { hedges: [B(30_000, MATURED), A(10_000, GONE)], positions: [] },
      'exact',
    ],
  ])('%s', (_, facts, message) => {
    expect(told(changeEvidence(asked('close', undefined), sideBook(facts)))).toBe(message);
  });

  it('is derived from the positions alone where no hedge was listed before', () => {
    const intent = asked('close', undefined, { hedges: [], in_positions: true });
    expect(changeEvidence(intent, sideBook({ positions: [] })).kind).toBe('exact');
    expect(changeEvidence(intent, sideBook({ positions: [position()] })).kind).toBe('unclear');
  });

  it('is derived from the hedges alone where position lines do not name their side', () => {
    const nameless = { positions: [position({ side: undefined })] };
    const intent = asked('close', undefined, { ...TWO, in_positions: null });
    const over = sideBook({ ...nameless, hedges: [B(30_000, GONE), A(10_000, GONE)] });
    expect(changeEvidence(intent, over).kind).toBe('exact');
    expect(changeEvidence(intent, sideBook({ ...nameless, hedges: SAME })).kind).toBe('none');
  });

  it('of a side of which nothing is known is unknown', () => {
    const intent = asked('close', undefined, { hedges: [], in_positions: null });
    expect(changeEvidence(intent, sideBook({ positions: [] })).kind).toBe('unclear');
  });
});

describe('any book', () => {
  const cents = fc.integer({ min: 100, max: 50_000_000 }).map((value) => value / 100);
  const sizes = fc.array(cents, { minLength: 1, maxLength: 6 });
  const action = fc.constantFrom<Asked>('add', 'reduce', 'close');
  const opens = fc.array(cents, { maxLength: 2 });
  const pick = fc.nat();

  const listed = (notionals: readonly number[], prefix = 'hdg_'): readonly Hedge[] =>
    notionals.map((notional, at) => hedge(`${prefix}${at}`, notional));
  const bookOf = (hedges: readonly Hedge[]) =>
    sideBook({ hedges, positions: hedges.some(({ status }) => status === 'filled') ? [position()] : [] });
  const beforeOf = (hedges: readonly Hedge[]): Before =>
    beforeState({ sidePosition: bookOf(hedges), readAtMs: 0 });

  /** What the service makes of an action, as the specification says it. */
  function done(what: Asked, notional: number, hedges: readonly Hedge[], at: number): readonly Hedge[] {
    const before = hedges.map(({ notional_usd }) => notional_usd);
    const gone = hedges.map((each) => ({ ...each, ...GONE }));
    if (what === 'close') return gone;
    if (what === 'reduce') {
      if (big(notional.toString()).gte(sum(before).times('0.99'))) return gone;
      const left = scaleDown(before, big(notional.toString()));
      return hedges.map((each, index) => ({ ...each, notional_usd: left[index] ?? each.notional_usd }));
    }
    return hedges.map((each, index) =>
      index === at % hedges.length ? { ...each, notional_usd: each.notional_usd.plus(notional) } : each,
    );
  }
  const sizeOf = (hedges: readonly Hedge[], share: number): number =>
    Math.max(0.01, Math.floor(sum(hedges.map(({ notional_usd }) => notional_usd)).toNumber() * share) / 100);

  it('that shows exactly what was asked gives exact, whatever else was opened', () => {
    fc.assert(
      fc.property(
        sizes,
        action,
        fc.integer({ min: 1, max: 100 }),
        opens,
        pick,
        (all, what, share, more, at) => {
          const before = listed(all);
          const notional = sizeOf(before, share);
          const now = bookOf([...listed(more, 'hdg_new_'), ...done(what, notional, before, at)]);
          const intent = asked(what, big(notional.toString()).toFixed(), beforeOf(before));
          expect(told(changeEvidence(intent, now))).toMatch(
            /^exact(: hdg_new_0 .* was opened on the side since)?$/,
          );
        },
      ),
    );
  });

  it('that shows nothing of it gives none', () => {
    fc.assert(
      fc.property(sizes, action, cents, opens, (all, what, notional, more) => {
        const before = listed(all);
        const intent = asked(what, big(notional.toString()).toFixed(), beforeOf(before));
        expect(told(changeEvidence(intent, bookOf([...listed(more, 'hdg_new_'), ...before])))).toBe('none');
      }),
    );
  });

  it("never takes a colleague's different change for ours", () => {
    fc.assert(
      fc.property(
        fc.record({ all: sizes, ours: action, theirs: action, at: pick }),
        fc.integer({ min: 1, max: 98 }),
        fc.integer({ min: 1, max: 98 }),
        ({ all, ours, theirs, at }, our, their) => {
          const before = listed(all);
          const size = sizeOf(before, our);
          const other = sizeOf(before, their);
          fc.pre(ours !== theirs || (ours !== 'close' && size !== other));
          const intent = asked(ours, big(size.toString()).toFixed(), beforeOf(before));
          const now = bookOf(done(theirs, other, before, at));
          expect(told(changeEvidence(intent, now))).toMatch(/^other: /);
        },
      ),
    );
  });
});
