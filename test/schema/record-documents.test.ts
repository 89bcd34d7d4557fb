/** Documents of the journal, of records with every field that they may have, and of records without. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import {
  ACCEPTED,
  anIntent,
  aRoll,
  at,
  BO,
  BY_ADA,
  FILLED,
  FOUND,
  HALT,
  idOf,
  NOT_SENT,
  NOTHING,
  REFUSED,
  SENDING,
  type StepParts,
  step,
  UNKNOWN,
} from '../journal/records.ts';
import { storeJournal } from '../support/stored-journal.ts';
import { testCli } from '../support/test-cli.ts';

const HEDGE = { hedge_id: 'hdg_0', notional_usd: '25000', status: 'filled' };

const SERVICE = {
  environment: 'live',
  base_url: 'https://bank.test/v2',
  key_fingerprint: '0a1b2c3d',
} as const;

const MOST: Partial<IntentRecord> = {
  ...BY_ADA,
  identity: { ...SERVICE, account: 'payouts' },
  deal_id: 'PAY-1',
  client_reference: 'PAY-1',
  chain_id: '49e5b0b8',
  note: 'first',
  asked: 'ngn 15000000',
  bounds: { worst_price: '1540', max_cost_bps: '40' },
  before: {
    hedges: [{ ...HEDGE, client_reference: 'PAY-0', struck_rate: '1530', filled_at: at(-60) }],
    in_positions: true,
    read_at: at(),
    answered_at: at(),
    served_at: at(),
    service_at: at(),
  },
};

const {
  short_id: _short,
  quote: _quote,
  ...LEAST
} = anIntent({
  identity: SERVICE,
  before: { hedges: [{ hedge_id: 'hdg_0', notional_usd: null, status: null }], in_positions: null },
  writer: { pid: 7, hostname: 'desk', boot: null, space: null, started: null },
});

const noted = { ...BY_ADA, note: 'again' };

/** The steps of an action by its ID; those of an even one have what they may have. */
const STEPS: Readonly<Record<string, readonly StepParts[]>> = {
  a000: [{ ...SENDING, ...noted, nothing_done_before: true, key_fingerprint: '0a1b2c3d' }, ACCEPTED, FILLED],
  a001: [SENDING, { kind: 'accepted', by: 'answer' }],
  b000: [
    { ...SENDING, ...BY_ADA },
    { ...FOUND, ...BY_ADA, order_tx_hash: '0x9f' },
  ],
  b001: [SENDING, FOUND],
  c000: [SENDING, { ...REFUSED, ...BY_ADA, looked: true }],
  c001: [SENDING, REFUSED],
  d000: [
    SENDING,
    { ...UNKNOWN, ...BY_ADA, unclear_at: at(2), rejected: { code: 'no_reference', http_status: 409 } },
  ],
  d001: [SENDING, UNKNOWN],
  e000: [{ ...NOT_SENT, ...BY_ADA, code: 'rate_limited' }],
  e001: [NOT_SENT],
  f000: [SENDING, UNKNOWN, { ...NOTHING, ...noted, operator: BO }],
  f001: [SENDING, UNKNOWN, NOTHING],
};

const lifted = { who: 'Ada O.', at: at(), why: 'venue down' };

function records(): readonly JournalRecord[] {
  const actions = Object.entries(STEPS).flatMap(([id, steps], index) => [
    {
      ...(index % 2 === 0 ? anIntent(MOST) : LEAST),
      action_id: idOf(id),
      idempotency_key: `k-${id}`,
      ...(index % 2 === 0 ? { short_id: id } : {}),
    },
    ...steps.map((each) => step(each, id)),
  ]);
  const { operator: _operator, version: _version, ...halt } = HALT;
  const again = '0123456789abcdef';
  return [
    ...actions,
    anIntent({
      action_id: idOf('9000'),
      idempotency_key: 'k-9000',
      identity: { environment: 'practice', base_url: 'practice:b1', account: null, key_fingerprint: null },
    }),
    HALT,
    { schema: 3, kind: 'unhalt', at: at(9), halt_ids: [HALT.halt_id], ...BY_ADA, lifted, note: 'open again' },
    { ...halt, halt_id: again },
    { schema: 3, kind: 'unhalt', at: at(9), halt_ids: [again] },
    aRoll({ chain_id: '00000001' }),
  ];
}

describe('a document is as its schema says', () => {
  it('of an action and of a halt whose records have every field, and of those that have none they can lack', async () => {
    const cli = testCli();
    const state = join(cli.home, 'state');
    mkdirSync(state, { mode: 0o700 });
    storeJournal(state, records());
    const lines = [
      ...[...Object.keys(STEPS), '9000'].map((id) => `journal ${id}`),
      'journal',
      'journal halts',
      'status',
    ];
    for (const line of lines) expect([line, (await cli.run(`${line} --json`)).code]).toEqual([line, 0]);
  });
});
