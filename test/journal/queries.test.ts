/** Queries of the guards over the journal: account, volume of a day, duplicates. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { redactArgv } from '../../src/domain/sanitize.ts';
import {
  identityText,
  isConfirmed,
  isResetBetween,
  practiceIdentity,
  type Relation,
  recordedIdentity,
  relationOf,
  sameIdentity,
  serviceIdentity,
} from '../../src/journal/account-identity.ts';
import {
  type DealTerms,
  duplicatesOf,
  findByDealId,
  findByKey,
  hedgesOpenedHere,
  inFlightOn,
  lastNotionals,
  openedOn,
  unresolvedOn,
  usedDealId,
} from '../../src/journal/queries.ts';
import { recordedParts } from '../../src/journal/recorded-costs.ts';
import type { IntentRecord } from '../../src/journal/records.ts';
import type { Action } from '../../src/journal/replay.ts';
import { fillOf, partialFillOf, touchedHedges } from '../../src/journal/results.ts';
import { type FindBy, findById, foundBy } from '../../src/journal/state.ts';
import {
  ACCEPTED,
  actionsOf,
  anIntent,
  at,
  DESK,
  DONE,
  FAILED,
  FILLED,
  idOf,
  NOON,
  NOT_SENT,
  NOTHING,
  REFUSED,
  recordsOf,
  SENDING,
  type StepParts,
  step,
  theTerms,
  UNKNOWN,
} from './records.ts';

const SANDBOX = serviceIdentity('sandbox', { baseUrl: DESK.base_url, keyFingerprint: '1a2b3c4d' });

const ids = (actions: readonly { shortId: string }[]) => actions.map(({ shortId }) => shortId);

describe('identities', () => {
  it.each([
    ['another environment', SANDBOX],
    [
      'another address',
      serviceIdentity('live', { baseUrl: 'https://x.test/v2', keyFingerprint: '1a2b3c4d' }),
    ],
    ['practice', practiceIdentity('b1')],
  ])('identity: %s is another account', (_what, other) => {
    expect(sameIdentity(DESK, other)).toBe(false);
    expect(identityText(DESK)).not.toBe(identityText(other));
    expect(sameIdentity(other, { ...other })).toBe(true);
  });

  const keyed = (
    keyFingerprint: string,
    account?: string,
    known: readonly (readonly [string, Relation])[] = [],
  ) => ({
    ...serviceIdentity('live', { baseUrl: DESK.base_url, keyFingerprint, account }),
    keys: new Map(known),
  });
  it.each<[string, ReturnType<typeof keyed>, ReturnType<typeof keyed>, Relation]>([
    ['one key', keyed('11111111'), keyed('11111111'), 'same'],
    ['one key under two labels', keyed('11111111', 'one'), keyed('11111111', 'two'), 'same'],
    ['two keys without labels', keyed('11111111'), keyed('22222222'), 'unclear'],
    ['two keys, one of them with a label', keyed('11111111'), keyed('22222222', 'one'), 'unclear'],
    ['two keys under one label', keyed('11111111', 'one'), keyed('22222222', 'one'), 'same'],
    ['two keys under two labels', keyed('11111111', 'one'), keyed('22222222', 'two'), 'other'],
    ['a key that was replaced', keyed('11111111'), keyed('22222222', 'one', [['11111111', 'same']]), 'same'],
    [
      "another profile's key, that profile labeled since",
      keyed('11111111'),
      keyed('22222222', 'one', [['11111111', 'other']]),
      'other',
    ],
  ])('identity: %s have the expected relation', (_what, recorded, present, relation) => {
    expect(relationOf(recorded, present)).toBe(relation);
    expect(sameIdentity(recorded, present)).toBe(relation !== 'other');
    expect(isConfirmed(recorded, present)).toBe(relation === 'same');
  });

  it('identity: a record of format 1, which has no label, matches by environment and address', () => {
    const recorded = anIntent().identity;
    expect(recorded).not.toHaveProperty('account', expect.anything());
    expect(sameIdentity(recorded, keyed('22222222', 'any'))).toBe(true);
  });

  it('identity: a record contains no other keys', () => {
    expect(recordedIdentity(keyed('11111111', 'one', [['22222222', 'same']]))).toEqual({
      environment: 'live',
      base_url: DESK.base_url,
      account: 'one',
      key_fingerprint: '11111111',
    });
  });

  it('identity: the two accounts of practice are two, and only another book is a reset', () => {
    const [sandbox, live] = [practiceIdentity('b1'), practiceIdentity('b1', 'live')];
    expect(sameIdentity(sandbox, live)).toBe(false);
    expect(isResetBetween(sandbox, live)).toBe(false);
    expect(isResetBetween(sandbox, practiceIdentity('b2', 'live'))).toBe(true);
  });

  it('identity: two practice books are two accounts', () => {
    expect(sameIdentity(practiceIdentity('b1'), practiceIdentity('b2'))).toBe(false);
    expect(identityText(practiceIdentity('b1'))).toBe('practice:b1');
  });
});

const among = (actions: readonly Action[]) => ({ find: (by: FindBy) => foundBy(actions, by) });

describe('an action by its ID or key', () => {
  const actions = actionsOf([
    anIntent({ action_id: idOf('7c1e') }),
    anIntent({ action_id: '7c1eaa1111111111', short_id: '7c1ea' }),
    anIntent({ action_id: '7c1eaa2222222222', short_id: '7c1eaa' }),
  ]);
  it.each([
    ['7c1e', ['7c1e']],
    ['7C1E', ['7c1e']],
    ['7c1ea', ['7c1ea']],
    ['7c1eaa2', ['7c1eaa']],
    ['7c1eaa', ['7c1eaa']],
    ['7c1e0', ['7c1e']],
    [idOf('7c1e'), ['7c1e']],
    ['7c1', []],
    ['9999', []],
    ['PAY-1', []],
    ['', []],
    [`${idOf('7c1e')}0`, []],
  ])('action ID: %j finds the action with that prefix', (text, expected) => {
    expect(ids(findById(among(actions), text))).toEqual(expected);
  });

  it('action ID: a prefix of two actions finds both', () => {
    const two = actionsOf([
      anIntent({ action_id: '7c1e000011112222' }),
      anIntent({ action_id: 'aaaabbbb00000001', short_id: 'aaaa' }),
      anIntent({ action_id: 'aaaabbbb00000002', short_id: 'aaaab' }),
    ]);
    expect(ids(findById(among(two), 'aaaab'))).toEqual(['aaaab']);
    expect(ids(findById(among(two), 'aaaabb'))).toEqual(['aaaa', 'aaaab']);
  });

  it('idempotency key: finds the latest action of its own account', () => {
    const some = actionsOf([
      ...recordsOf('aaaa', {}, NOT_SENT),
      ...recordsOf('bbbb', {}),
      ...recordsOf('cccc', { identity: SANDBOX }),
      ...recordsOf('dddd', { idempotency_key: 'k-2' }),
    ]);
    expect(findByKey(some, DESK, 'k-1')?.shortId).toBe('bbbb');
    expect(findByKey(some, SANDBOX, 'k-1')?.shortId).toBe('cccc');
    expect(findByKey(some, SANDBOX, 'k-2')).toBeUndefined();
  });
});

describe('a deal ID', () => {
  const PAY = { deal_id: 'PAY-1' } as const;
  it.each<[string, readonly StepParts[], boolean]>([
    ['accepted', [SENDING, ACCEPTED], true],
    ['filled', [SENDING, ACCEPTED, FILLED], true],
    ['unknown', [SENDING, UNKNOWN], true],
    ['sent by a process that died', [SENDING], true],
    ['only prepared by a process that died', [], false],
    ['declined', [NOT_SENT], false],
    ['recorded manually as not executed', [SENDING, UNKNOWN, NOTHING], false],
    ['recorded manually as executed', [SENDING, UNKNOWN, DONE], true],
    ['rejected', [SENDING, REFUSED], false],
    ['failed', [SENDING, ACCEPTED, FAILED], false],
    ['rejected after an unclear attempt', [SENDING, UNKNOWN, REFUSED], true],
  ])('deal ID: an open that was %s', (_what, steps, used) => {
    const actions = actionsOf([
      ...recordsOf('aaaa', PAY, ...steps),
      ...recordsOf('bbbb', { ...PAY, identity: SANDBOX }),
    ]);
    expect(usedDealId(actions, DESK, 'PAY-1') !== undefined).toBe(used);
    expect(ids(findByDealId(actions, DESK, 'PAY-1'))).toEqual(['aaaa']);
    expect(usedDealId(actions, DESK, 'PAY-2')).toBeUndefined();
  });

  it('deal ID: is used while another process is sending it', () => {
    expect(usedDealId(actionsOf(recordsOf('aaaa', PAY), true), DESK, 'PAY-1')?.shortId).toBe('aaaa');
  });
});

describe('totals', () => {
  const actions = actionsOf([
    ...recordsOf('aaa1', { notional_usd: '0.1' }, SENDING, ACCEPTED),
    ...recordsOf('aaa2', { action: 'add', notional_usd: '0.2' }, SENDING, UNKNOWN),
    ...recordsOf('aaa3', { notional_usd: '1000' }, SENDING, REFUSED),
    ...recordsOf('aaa4', { notional_usd: '1000' }, SENDING, ACCEPTED, FAILED),
    ...recordsOf('aaa5', { action: 'reduce', notional_usd: '1000' }, SENDING, ACCEPTED),
    ...recordsOf('aaa6', { action: 'close' }, SENDING, ACCEPTED),
    ...recordsOf('aaa7', { notional_usd: '1000', identity: SANDBOX }, SENDING, ACCEPTED),
    ...recordsOf('aaa8', { notional_usd: '1000', at: '2026-11-19T23:59:59.999Z' }, SENDING, ACCEPTED),
    ...recordsOf('aaa9', { notional_usd: '5', at: '2026-11-20T23:59:59.999Z' }, SENDING, ACCEPTED, FILLED),
    ...recordsOf('aa10', { notional_usd: '1000', at: '2026-11-21T00:00:00.000Z' }, SENDING, ACCEPTED),
    ...recordsOf('aa11', { notional_usd: '1000' }, NOT_SENT),
  ]);
  it('totals: a UTC day sums opens and adds that executed or may have, exactly', () => {
    expect(openedOn(actions, DESK, '2026-11-20').toFixed()).toBe('5.3');
    expect(openedOn(actions, SANDBOX, '2026-11-20').toFixed()).toBe('1000');
    expect(openedOn([], DESK, '2026-11-20').toFixed()).toBe('0');
  });

  it('totals: a partial fill counts in full, since the rest may still fill', () => {
    const facts = { notional_usd: '6000', filled_notional_usd: '6000' };
    const part = actionsOf([anIntent(), step(SENDING), step(ACCEPTED), step({ ...FILLED, facts })]);
    expect(openedOn(part, DESK, '2026-11-20').toFixed()).toBe('10000');
  });

  it.each([
    ['10000.0000003', '10000', undefined],
    ['9999.9999', '10000', undefined],
    ['9999.99', undefined, undefined],
  ])('a fill of %s USD for 10,000 is one of %s, and none in part: %s', (size, fill, part) => {
    const facts = { notional_usd: size, struck_rate: '1530' };
    const [open] = actionsOf([anIntent(), step(SENDING), step(ACCEPTED), step({ ...FILLED, facts })]);
    if (open === undefined) throw new Error('no open');
    expect(fillOf(open)?.notional.toFixed()).toBe(fill);
    expect(partialFillOf(open)?.toFixed()).toBe(part);
  });

  it('totals: an action that another process is sending counts', () => {
    expect(openedOn(actionsOf([anIntent()], true), DESK, '2026-11-20').toFixed()).toBe('10000');
    expect(openedOn(actionsOf([anIntent()], false), DESK, '2026-11-20').toFixed()).toBe('0');
  });

  it('totals: the last twenty notionals are newest first', () => {
    expect(lastNotionals(actions, DESK).map((each) => each.toFixed())).toEqual([
      '1000',
      '5',
      '1000',
      '0.2',
      '0.1',
    ]);
    const many = actionsOf(
      Array.from({ length: 25 }, (_, n) =>
        recordsOf((n + 4_096).toString(16), { notional_usd: (n + 1).toString() }, SENDING, ACCEPTED),
      ).flat(),
    );
    const last = lastNotionals(many, DESK).map((each) => each.toFixed());
    expect([last.length, last[0], last.at(-1)]).toEqual([20, '25', '6']);
  });
});

describe('a duplicate', () => {
  it.each<[string, Partial<IntentRecord>, Partial<DealTerms>, readonly StepParts[], boolean]>([
    ['the same terms', {}, {}, [SENDING, ACCEPTED], true],
    ['the same terms, unknown', {}, {}, [SENDING, UNKNOWN], true],
    ['the same terms, rejected', {}, {}, [SENDING, REFUSED], false],
    ['the same terms, failed', {}, {}, [SENDING, ACCEPTED, FAILED], false],
    ['the same terms, recorded as not executed', {}, {}, [SENDING, UNKNOWN, NOTHING], true],
    ['recorded as not executed a minute ago', { at: at(-61) }, {}, [SENDING, UNKNOWN, NOTHING], false],
    ['59.9 s ago', { at: at(-59.9) }, {}, [SENDING, ACCEPTED], true],
    ['60 s ago', { at: at(-60) }, {}, [SENDING, ACCEPTED], false],
    ['in the future of a clock set back', { at: at(3_600) }, {}, [SENDING, ACCEPTED], true],
    ['another side', {}, { side: 'sell' }, [SENDING, ACCEPTED], false],
    ['another market', {}, { market: 'USDTGHS' }, [SENDING, ACCEPTED], false],
    ['another notional', {}, { notional: new Big('10000.01') }, [SENDING, ACCEPTED], false],
    ['another tenor', {}, { tenorDays: 1 }, [SENDING, ACCEPTED], false],
    ['another account', {}, { identity: SANDBOX }, [SENDING, ACCEPTED], false],
    ['another action', {}, { action: 'add', tenorDays: undefined }, [SENDING, ACCEPTED], false],
    ['another deal ID', { deal_id: 'A' }, { dealId: 'B' }, [SENDING, ACCEPTED], false],
    ['the same deal ID', { deal_id: 'A' }, { dealId: 'A' }, [SENDING, ACCEPTED], true],
    ['a deal ID on one only', {}, { dealId: 'B' }, [SENDING, ACCEPTED], true],
    [
      'a close twice',
      { action: 'close' },
      { action: 'close', notional: undefined, tenorDays: undefined },
      [SENDING, ACCEPTED],
      true,
    ],
  ])('duplicate: is detected or not for %s', (_what, intent, terms, steps, isDuplicate) => {
    const actions = actionsOf(recordsOf('aaaa', intent, ...steps));
    const when = { nowMs: NOON, isOpenEnded: () => false };
    expect(duplicatesOf(actions, theTerms(terms), when).length).toBe(isDuplicate ? 1 : 0);
  });
});

describe('a side', () => {
  it('side: lists its own unresolved and in-flight actions only', () => {
    const steps: readonly (readonly [string, Partial<IntentRecord>, ...StepParts[]])[] = [
      ['aaa1', {}, SENDING, UNKNOWN],
      ['aaa2', {}, SENDING],
      ['aaa3', { side: 'sell' }, SENDING, UNKNOWN],
      ['aaa4', { market: 'USDTGHS' }, SENDING, UNKNOWN],
      ['aaa5', { identity: SANDBOX }, SENDING, UNKNOWN],
      ['aaa6', {}, SENDING, ACCEPTED],
      ['aaa7', {}, SENDING, ACCEPTED, FILLED],
      ['aaa8', { side: 'sell' }, SENDING, ACCEPTED],
      ['aaa9', {}],
    ];
    const records = steps.flatMap(([id, intent, ...rest]) => recordsOf(id, intent, ...rest));
    expect(ids(unresolvedOn(actionsOf(records), theTerms()))).toEqual(['aaa1', 'aaa2']);
    expect(ids(inFlightOn(actionsOf(records), theTerms()))).toEqual(['aaa6']);
    expect(ids(unresolvedOn(actionsOf(records, true), theTerms()))).toEqual(['aaa1']);
    expect(ids(inFlightOn(actionsOf(records, true), theTerms()))).toEqual(['aaa2', 'aaa6', 'aaa9']);
    // As a hedge may name it, which a roll took over.
    expect(ids(unresolvedOn(actionsOf(records), theTerms({ market: 'USDT-NGN' })))).toEqual(['aaa1', 'aaa2']);
    expect([...hedgesOpenedHere(actionsOf(records), DESK)]).toEqual(['hdg_1']);
    expect([...hedgesOpenedHere(actionsOf(records), SANDBOX)]).toEqual([]);
  });
});

describe('a command line in the journal', () => {
  it('command line: is recorded without API keys, anywhere in an argument', () => {
    const argv = ['open', 'hk_live_0123456789abcdef', '--deal-id=hk_test_0123456789abcdef', 'PAY-1'];
    expect(redactArgv(argv)).toEqual(['open', 'hk_live_…', '--deal-id=hk_test_…', 'PAY-1']);
  });
});

describe('the cost of an open', () => {
  const quote = {
    market_price: '1530',
    execution_price: '1532.56',
    carry_usdc: '15',
    platform_fee_usdc: '10',
    matures: null,
  };
  const filled = { ...FILLED, facts: { ...FILLED.facts, notional_usd: '10000' } } as const;
  const lost = [SENDING, UNKNOWN, { ...SENDING, attempt: 2 }] as const;

  it('has no impact and no slippage once it was sent again: it may have filled on a later quote', () => {
    const [first] = actionsOf(recordsOf('a1', { quote }, SENDING, ACCEPTED, filled));
    const [again] = actionsOf(recordsOf('a2', { quote }, ...lost, ACCEPTED, filled));
    const known = { carry_usdc: new Big(15), platform_fee_usdc: new Big(10) };
    expect(recordedParts(first)).toMatchObject({
      ...known,
      impact_cost_usd: expect.any(Big),
      slippage_usd: expect.any(Big),
    });
    expect(recordedParts(again)).toMatchObject({
      ...known,
      impact_cost_usd: undefined,
      slippage_usd: undefined,
    });
  });
});

describe('the hedges that an action touched', () => {
  const two = {
    hedges: [
      { hedge_id: 'hdg_1', notional_usd: '10000', status: 'filled', client_reference: 'PAY-1' },
      {
        hedge_id: 'hdg_2',
        notional_usd: '5000',
        status: 'filled',
        client_reference: 'hedge-0123456789abcdef',
      },
      { hedge_id: 'hdg_3', notional_usd: '1000', status: 'submitted', client_reference: 'PAY-3' },
    ],
    in_positions: true,
  };
  const first = { hedgeId: 'hdg_1', dealId: 'PAY-1' };
  const second = { hedgeId: 'hdg_2', dealId: undefined };
  const accepted = { kind: 'accepted', by: 'answer' } as const;
  const changed = (facts: Record<string, string>) =>
    ({ kind: 'outcome', outcome: 'changed', facts }) as const;

  it.each<[string, Parameters<typeof anIntent>[0], readonly StepParts[], readonly unknown[]]>([
    [
      'an open: its own',
      { deal_id: 'PAY-9' },
      [SENDING, ACCEPTED, FILLED],
      [{ hedgeId: 'hdg_1', dealId: 'PAY-9' }],
    ],
    ['an open without a hedge so far: none', {}, [SENDING], []],
    [
      'a reduce: those that changed',
      { action: 'reduce', before: two },
      [SENDING, accepted, changed({ hdg_2: '2500', notional_usd: '12500' })],
      [second],
    ],
    ['an add with its hedge in the response', { action: 'add', before: two }, [SENDING, ACCEPTED], [first]],
    [
      'an add to one of several, not seen so far: none',
      { action: 'add', before: two },
      [SENDING, accepted],
      [],
    ],
    [
      'an add to the only hedge, not seen so far',
      { action: 'add', before: { ...two, hedges: two.hedges.slice(0, 1) } },
      [SENDING, accepted],
      [first],
    ],
    [
      'a close in flight: all open ones',
      { action: 'close', before: two },
      [SENDING, accepted],
      [first, second],
    ],
    ['a rejected close: none', { action: 'close', before: two }, [SENDING, REFUSED], []],
    [
      'a close recorded as not executed: none',
      { action: 'close', before: two },
      [SENDING, UNKNOWN, NOTHING],
      [],
    ],
    [
      'a record of an earlier version: without a deal ID',
      { action: 'close' },
      [SENDING, accepted],
      [{ hedgeId: 'hdg_0', dealId: undefined }],
    ],
  ])('of %s', (_what, parts, steps, hedges) => {
    const [action] = actionsOf(recordsOf('7c1e', { ...parts }, ...steps));
    expect(action && touchedHedges(action)).toEqual(hedges);
  });
});
