/**
 * Branches of the documents' schemas that no test sees, each with its reason. One that a test sees leaves the list; a new one is
 * shown by a test, or declared no more.
 */
export const UNSEEN: readonly { why: string; branches: readonly string[] }[] = [
  {
    why: 'The part is shared, and only its other users can have it: a size as typed, practice, which has no desk, P&L that no record lacks, trouble that ends a reading.',
    branches: [
      'all_in_rate,move_to_break_even_pct,impact_cost_usd: sized alternative 0 alternative 2',
      'all_in_rate,move_to_break_even_pct,impact_cost_usd: sized null',
      'day,week,month: net_pnl_usd null',
      'maturing,maybe_truncated,unresolved: journal_trouble alternative 0 alternative 0',
      'name,state,url: identity alternative 1',
      'name,url,owner: identity alternative 1',
      'schema,command,profile: trouble alternative 0',
    ],
  },
  {
    why: 'A figure that the service may leave out, and every service of the tests sends; the screens without it are looked at.',
    branches: [
      'chain_id,state,when: maturity_at null',
      'id,payoff_usd,carry_to_maturity_usdc: carry_to_maturity_usdc null',
      'leg,hedge_id,notional_usd: close_fee_usdc null',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: close_fee_usdc absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: gross_pnl_usd absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: mark_price absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: net_pnl_usd absent',
      'rate,move_pct,payoff_usd: carry_to_maturity_usdc null',
      'side,payoff_usd,accrued_carry_usdc: carry_to_maturity_usdc null',
      'side_before_usd,opened_elsewhere,side_after_usd: side_before_usd null',
    ],
  },
  {
    why: 'An action without its quote: the service gave none, or the record is of an earlier format.',
    branches: [
      'hedge_id,deal_id,market: operator null',
      'market,side,deals: cost_usdc null',
      'market,side,deals: upfront_usdc null',
      'name,hedges,market_usd: unrealized null',
      'ngn_asked,ngn,ngn_rest: ngn null',
      'ngn_asked,ngn,ngn_rest: ngn_rest null',
    ],
  },
  {
    why: 'Another build, disk or cache than those of the tests, or damage that leaves no number of a record.',
    branches: [
      'file,seq,id: id null',
      'file,seq,id: seq null',
      'first_mid,first_seen_at: first_mid null',
      'first_mid,first_seen_at: first_seen_at null',
      'put_aside,found,result: missing null',
      'version,node,openssl: commit string',
    ],
  },
  {
    why: 'Every row of a copy has its stamp; the type is also that of records that wait, of imported ones and of a copy that is still empty.',
    branches: [
      'at,login,kind: login null',
      'found,delivered,records: old_copy null',
      'name,reached,as_of: as_of null',
      'name,reached,as_of: login null',
      'name,state,url: last_record null',
      'seq,at,kind: at null',
      'seq,at,kind: login null',
      'seq,at,kind: operator null',
      'who,login,version: last_at null',
      'who,login,version: login null',
      'who,login,version: version null',
    ],
  },
  {
    why: 'Compared in a table without a document: what differs from the service, entries that are booked late or wait for the journal, events of a practice book that others trade in.',
    branches: [
      'at,what,order: client_reference null',
      'at,what,order: credited_usdc null',
      'at,what,order: hedge_id null',
      'class,against,deal_id: market null',
      'class,against,deal_id: side null',
      'class,against,deal_id: service null',
      'code,message,effect: hint null',
      'due,days,weekend: covered_ngn null',
      'entry,date,title: booked_at string',
      'entry,date,title: record_hash null',
      'leg,hedge_id,notional_usd: hedge_id null',
    ],
  },
];
