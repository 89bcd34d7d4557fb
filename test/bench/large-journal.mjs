/**
 * A journal of many actions over years, as the program would have written it: intents, sends, responses and outcomes, some
 * without one. Needs a build.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const DAY = 86_400_000;

export const EXAMPLE_IDENTITY = {
  environment: 'sandbox',
  base_url: 'https://partner.test/v2',
  account: null,
  key_fingerprint: '1a2b3c4d',
};
/** Unresolved actions are of this account: they stop nobody who uses the other one. */
const OTHER_IDENTITY = { ...EXAMPLE_IDENTITY, environment: 'live', key_fingerprint: '5e6f7a8b' };

const WRITER = JSON.stringify({
  pid: 14_880,
  hostname: 'desk-1',
  boot: '7feb6f20-9892-431d-978d-68ff9652ca88',
  space: 'pid:[4026531836]',
  started: '84438',
});
const SIGNED = '"operator":{"user":"ada","host":"desk-1"},"version":"0.1.0"';

/** Mulberry32, as a whole number of 32 bits. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const hex = (number, digits = 8) => number.toString(16).padStart(digits, '0');

/** The shortest prefix, of four digits or more, that no earlier ID has. */
function shortIds() {
  const taken = [4, 5, 6, 7].map((digits) => ({ digits, bits: new Uint8Array(2 ** (4 * digits - 3)) }));
  const longer = new Set();
  return (id) => {
    let short;
    for (const { digits, bits } of taken) {
      const prefix = Number.parseInt(id.slice(0, digits), 16);
      const [at, bit] = [prefix >>> 3, 1 << (prefix & 7)];
      if (short === undefined && (bits[at] & bit) === 0) short = id.slice(0, digits);
      bits[at] |= bit;
    }
    const eight = Number.parseInt(id.slice(0, 8), 16);
    if (short === undefined) short = longer.has(eight) ? id : id.slice(0, 8);
    longer.add(eight);
    return short;
  };
}

/** Fast and not safe: a run that dies leaves a file of no use. */
const FAST = 'PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000';
/** Actions in one transaction. */
const BATCH = 5_000;

/**
 * `unresolved`: actions without an outcome, of another account. Actions end a day before `until`.
 * Returns what was written; `bytes` are those of the records' texts, `fileBytes` those of the database.
 */
export async function writeLargeJournal({
  home,
  actions = 1_000_000,
  months = 36,
  until = Date.now(),
  identity = EXAMPLE_IDENTITY,
  unresolved = 5,
  seed = 1,
}) {
  const [schema, database, inserting, rows, witness, { hostOf }, { systemRandom }] = await Promise.all(
    [
      'journal/store/schema.js',
      'journal/store/journal-database.js',
      'journal/store/new-records.js',
      'journal/store/record-rows.js',
      'journal/store/witness.js',
      'platform/host.js',
      'platform/random.js',
    ].map(built),
  );
  const machine = { host: hostOf(process), random: systemRandom };
  const state = join(home, 'state');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const path = schema.databaseFile(state);
  schema.createJournalFile(path, machine);
  const db = database.openJournalDatabase(path, machine.host);
  db.exec(FAST);
  const [random, randomId] = [seeded(seed), seeded(seed + 1)];
  const shortIdOf = shortIds();
  const last = until - DAY;
  const end = new Date(last);
  const first = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - months + 1, 1);
  const identities = { own: JSON.stringify(identity), other: JSON.stringify(OTHER_IDENTITY) };
  const everyUnresolved = Math.ceil(actions / Math.max(1, unresolved));
  let bytes = 0;

  function* recordsFrom(start) {
    for (let index = start; index < Math.min(actions, start + BATCH); index += 1) {
      const at = Math.floor(first + ((last - first) * (index + 0.5)) / actions);
      const isOpenEnded = unresolved > 0 && index % everyUnresolved === Math.floor(everyUnresolved / 2);
      const id = hex(random()) + hex(random());
      const texts = recordsOf({
        index,
        at,
        id,
        shortId: shortIdOf(id),
        identity: isOpenEnded ? identities.other : identities.own,
        isOpenEnded,
        random,
      });
      for (const record of texts) {
        bytes += Buffer.byteLength(record);
        yield { id: hex(randomId()) + hex(randomId()), record };
      }
    }
  }

  for (let start = 0; start < actions; start += BATCH)
    db.writing(() => inserting.insertRecords(db, recordsFrom(start)));
  const head = rows.headOf(db);
  witness.writeWitness(state, machine, head);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return {
    actions,
    records: head.seq,
    bytes,
    fileBytes: statSync(path).size,
    unresolved: Math.min(unresolved, actions),
  };
}

const ACTIONS = ['open', 'open', 'open', 'open', 'open', 'open', 'open', 'add', 'reduce', 'close'];
const OUTCOMES = { open: 'filled', add: 'changed', reduce: 'changed', close: 'closed' };
const PATHS = { open: '/hedges', add: '/hedges/add', reduce: '/hedges/reduce', close: '/hedges/close' };

/** Of 100 actions 3 are rejected, 1 fails, 1 is not sent, 1 has its outcome recorded manually; the others end well. */
function recordsOf({ index, at, id, shortId, identity, isOpenEnded, random }) {
  const drawn = random();
  const action = isOpenEnded ? 'open' : ACTIONS[drawn % 10];
  const side = drawn & 1024 ? 'buy' : 'sell';
  const notional = String(1_000 + (drawn % 90) * 500);
  const tenor = [1, 3, 7][index % 3];
  const price = `15${String(20 + (drawn % 60)).padStart(2, '0')}.${hex(random()).replaceAll(/\D/g, '7')}`;
  const hash = `0x${hex(random())}${hex(random())}${id}${id}${hex(random())}${hex(random())}`;
  const hedge = `hdg_${id.toUpperCase()}`;
  const deal = `PAY-${index}`;
  const key = action === 'open' ? `hedge-deal-${id}${hex(random())}` : `hedge-${id}${hex(random())}`;
  const iso = (ms) => new Date(at + ms).toISOString();
  const isSized = action !== 'close';
  const body = JSON.stringify(
    JSON.stringify({
      market: 'USDTNGN',
      side,
      ...(isSized ? { notional_usd: Number(notional) } : {}),
      ...(action === 'open' ? { tenor_days: tenor, client_reference: deal } : {}),
    }),
  );
  const base = (ms) => `{"schema":3,"action_id":"${id}","at":"${iso(ms)}",${SIGNED}`;
  const before =
    action === 'open' ? '[]' : `[{"hedge_id":"${hedge}","notional_usd":"${notional}","status":"filled"}]`;
  const intent = `${base(0)},"kind":"intent","short_id":"${shortId}","action":"${action}","identity":${identity},"profile":"desk","market":"USDTNGN","side":"${side}"${
    isSized ? `,"notional_usd":"${notional}"` : ''
  }${action === 'open' ? `,"tenor_days":${tenor}` : ''},"idempotency_key":"${key}","key_origin":"${action === 'open' ? 'deal_id' : 'minted'}"${
    action === 'open' ? `,"client_reference":"${deal}","deal_id":"${deal}"` : ''
  },"body":${body},"path":"${PATHS[action]}","before":{"hedges":${before},"in_positions":${action !== 'open'},"read_at":"${iso(-40)}"},"quote":{"maturity_at":"${iso(tenor * DAY)}","market_price":"${price}","execution_price":"${price}1","price_impact_usd":"-6","carry_usdc":"15","platform_fee_usdc":"10","required_margin_usdc":"1000","total_upfront_usdc":"1010","cost_usdc":"31","cost_bps":"31","all_in_rate":"1524.73644868"},"sent_by":["--profile","desk","${action}","USDTNGN","${side}","${notional}","--yes","--deal-id","${deal}"],"writer":${WRITER}}`;
  const sending = `${base(2)},"kind":"sending","attempt":1,"writer":${WRITER}}`;
  const kind = drawn % 100;
  if (isOpenEnded)
    return [
      intent,
      sending,
      `${base(31_000)},"kind":"unknown","why":"connection reset","unclear_at":"${iso(31_000)}"}`,
    ];
  if (kind === 99) return [intent, `${base(3)},"kind":"not_sent","why":"no connection"}`];
  if (kind >= 96)
    return [intent, sending, `${base(40)},"kind":"refused","code":"exposure_exceeded","http_status":400}`];
  if (kind === 95)
    return [
      intent,
      sending,
      `${base(31_000)},"kind":"unknown","why":"connection reset","unclear_at":"${iso(31_000)}"}`,
      `${base(900_000)},"kind":"settled","as":"done","because":"seen on the statement"}`,
    ];
  const accepted = `${base(35)},"kind":"accepted","by":"answer","hedge_id":"${hedge}","order_tx_hash":"${hash}"}`;
  if (kind === 94 && action === 'open')
    return [
      intent,
      sending,
      accepted,
      `${base(4_000)},"kind":"outcome","outcome":"failed","hedge_id":"${hedge}","facts":{"status":"failed"}}`,
    ];
  const facts = `"status":"filled","notional_usd":"${notional}","struck_rate":"${price}","filled_at":"${iso(3_000)}","maturity_at":"${iso(tenor * DAY)}","order_tx_hash":"${hash}","fill_tx_hash":"${hash}"`;
  return [
    intent,
    sending,
    accepted,
    `${base(3_050)},"kind":"outcome","outcome":"${OUTCOMES[action]}","hedge_id":"${hedge}","facts":{${facts}}}`,
  ];
}
