import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import { replayRecords } from '../../src/journal/replay.ts';
import { filledInPart, filledSince } from '../../src/readings/partial-fills.ts';
import { hedgeEvidence } from '../../src/trading/outcome/change-evidence.ts';
import { ACCEPTED, anIntent, at, FAILED, idOf, REFUSED, SENDING, step } from '../journal/records.ts';
import type { Body } from '../spec/bodies.ts';
import { hedge } from '../trading/facts.ts';

type Step = Parameters<typeof step>[0];

/** An open of 10,000 at noon, and what else this machine sent: `bbbb`, with these parts and steps. */
function afterwards(parts: Partial<IntentRecord> = {}, ...steps: readonly Step[]) {
  const other: readonly JournalRecord[] =
    steps.length === 0
      ? []
      : [
          anIntent({
            action_id: idOf('bbbb'),
            action: 'reduce',
            path: '/hedges/reduce',
            at: at(60),
            ...parts,
          }),
          ...steps.map((each) => step(each, 'bbbb', 61)),
        ];
  const own = [anIntent(), step(SENDING), step(ACCEPTED)];
  const isEarlier = (parts.at ?? at(60)) < anIntent().at;
  const actions = replayRecords(isEarlier ? [...other, ...own] : [...own, ...other], () => false);
  const open = actions.find(({ intent }) => intent.action === 'open' && intent.at === anIntent().at);
  if (open === undefined) throw new Error('no open');
  return { open, actions };
}

const filled = (notional: number, changes: Body = {}) => hedge('hdg_1', notional, changes);

describe('an open of 10,000 that is first read', () => {
  it.each<[string, ReturnType<typeof filled>, string | undefined]>([
    ['as asked was filled as asked', filled(10_000), undefined],
    ['with 6,000 was filled in part', filled(6_000), '6000'],
    ['with 6,000, settled since, was filled in part', filled(6_000, { status: 'closed' }), '6000'],
    ['with more was added to since', filled(12_000), undefined],
    ['a cent short was filled in part', filled(9_999.99), '9999.99'],
    ['a millionth short was rounded by the service', filled(9_999.999_999), undefined],
    ['with nothing was closed since', filled(0), undefined],
    ['on its way with 6,000 may yet fill', filled(6_000, { status: 'submitted' }), undefined],
    ['failed with 6,000 opened nothing', filled(6_000, { status: 'failed' }), undefined],
  ])('%s', (_, read, part) => {
    const { open, actions } = afterwards();
    expect(filledInPart(open, read, () => actions)?.toFixed()).toBe(part);
  });

  it.each([
    ['36608.212915', '36608.212915', undefined],
    ['36608.217915', '36608.22', undefined],
    ['36608.212915', '36608.2', '36608.2'],
  ])('of %s with %s was filled in part: %s', (asked, read, part) => {
    const [open] = replayRecords(
      [anIntent({ notional_usd: asked }), step(SENDING), step(ACCEPTED)],
      () => false,
    );
    if (open === undefined) throw new Error('no open');
    const shown = { ...filled(1), notional_usd: new Big(read) };
    expect(filledInPart(open, shown, () => [open])?.toFixed()).toBe(part);
  });

  it.each<[string, Partial<IntentRecord>, Step[], string | undefined]>([
    ['after our own reduction of the side is not told apart from it', {}, [SENDING, ACCEPTED], undefined],
    ['after our own reduction without an answer is not either', {}, [SENDING], undefined],
    [
      'after our own close is not either',
      { action: 'close', notional_usd: undefined, path: '/hedges/close' },
      [SENDING, ACCEPTED],
      undefined,
    ],
    ['after a reduction that was refused was filled in part', {}, [SENDING, REFUSED], '6000'],
    ['after a reduction of the other side was filled in part', { side: 'sell' }, [SENDING, ACCEPTED], '6000'],
    ['after a reduction before it was filled in part', { at: at(-60) }, [SENDING, ACCEPTED], '6000'],
    [
      'after another open that failed was filled in part',
      { action: 'open', path: '/hedges', tenor_days: 3 },
      [SENDING, ACCEPTED, FAILED],
      '6000',
    ],
  ])('with 6,000 %s', (_, parts, steps, part) => {
    const { open, actions } = afterwards(parts, ...steps);
    expect(filledInPart(open, filled(6_000), () => actions)?.toFixed()).toBe(part);
  });
});

describe('a hedge that the service named as ours', () => {
  const OPEN = anIntent({ client_reference: 'PAY-8841' });
  it.each(['submitting', 'submitted', 'filled', 'failed'])(
    'is ours with less than was asked too, while it is %s',
    (status) => {
      expect(hedgeEvidence(OPEN, filled(6_000, { status }), { byId: true }).kind).toBe('exact');
    },
  );

  it('is ours with more, added to since, where it carries our reference', () => {
    const [more, other] = [filled(12_000), filled(12_000, { client_reference: 'PAY-2' })];
    expect(hedgeEvidence(OPEN, more, { byId: true }).kind).toBe('exact');
    expect(hedgeEvidence(OPEN, other, { byId: true })).toMatchObject({ kind: 'other', notOurs: 'hdg_1' });
  });

  it.each(['submitted', 'failed'])(
    'is no other hedge with more before it fills, while it is %s, where it carries our reference',
    (status) => {
      const evidence = hedgeEvidence(OPEN, filled(12_000, { status }), { byId: true });
      expect(evidence).toMatchObject({ kind: 'other', message: expect.stringContaining('(size)') });
      expect(evidence).not.toHaveProperty('notOurs');
      const onOtherTerms = filled(12_000, { status, tenor_days: 7 });
      expect(hedgeEvidence(OPEN, onOtherTerms, { byId: true })).toMatchObject({ notOurs: 'hdg_1' });
    },
  );

  it.each([10_000.0000003, 10_000.001, 9_999.9999, 10_000.005])(
    'is the requested one at %d, in each status',
    (size) => {
      for (const status of ['submitting', 'submitted', 'filled', 'failed', 'closed'])
        expect(hedgeEvidence(OPEN, filled(size, { status }), { byId: true })).toMatchObject({
          kind: 'exact',
          message: undefined,
        });
    },
  );

  it('is not exactly as requested with more before it fills, nor with less on other terms', () => {
    const more = filled(12_000, { status: 'submitted' });
    expect(hedgeEvidence(OPEN, more, { byId: true }).kind).toBe('other');
    expect(hedgeEvidence(OPEN, filled(6_000, { side: 'sell' }), { byId: true }).kind).toBe('other');
  });

  it('is not ours with less than was asked, where it does not carry our reference', () => {
    for (const reference of [null, 'PAY-2'])
      expect(
        hedgeEvidence(OPEN, filled(6_000, { client_reference: reference }), { byId: true }),
      ).toMatchObject({
        kind: 'other',
        notOurs: 'hdg_1',
      });
  });

  it('is ours as asked, where the service shows no reference', () => {
    const same = filled(10_000, { client_reference: null });
    expect(hedgeEvidence(OPEN, same, { byId: true }).kind).toBe('exact');
  });

  it('that only carries our reference is another deal with less, before it fills', () => {
    expect(hedgeEvidence(OPEN, filled(6_000, { status: 'submitted' })).kind).toBe('other');
  });
});

describe('an open of 10,000 that was filled with 6,000, and closed from here', () => {
  const close = (size: string): readonly JournalRecord[] => [
    anIntent({
      action_id: idOf('bbbb'),
      action: 'close',
      path: '/hedges/close',
      at: at(60),
      notional_usd: undefined,
      before: { hedges: [{ hedge_id: 'hdg_1', notional_usd: size, status: 'filled' }], in_positions: true },
    }),
    step(SENDING, 'bbbb', 61),
    step({ kind: 'outcome', outcome: 'closed', facts: { hdg_1: '0' } }, 'bbbb', 62),
  ];
  const since = (size: string, listed: number) => {
    const facts = { filled_notional_usd: '6000', notional_usd: '6000' };
    const filledOnce = step({ kind: 'outcome', outcome: 'filled', hedge_id: 'hdg_1', facts });
    const actions = replayRecords(
      [anIntent(), step(SENDING), step(ACCEPTED), filledOnce, ...close(size)],
      () => false,
    );
    const [open] = actions;
    if (open === undefined) throw new Error('no open');
    const read = filled(listed, { status: 'closed' });
    return filledSince(open, { hedge: read, nowMs: Date.parse(at(3_600)) }, () => actions)?.toFixed();
  };

  it.each([
    ['at the size before the close', '6000', 6_000, undefined],
    ['at nothing', '6000', 0, undefined],
    ['after it had filled whole', '10000', 10_000, '10000'],
  ])('listed %s', (_, size, listed, more) => {
    expect(since(size, listed)).toBe(more);
  });
});
