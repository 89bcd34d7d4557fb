/**
 * Branches of the documents' schemas that no test sees, each with its reason. One that a test sees leaves the list; a new one is
 * shown by a test, or declared no more.
 */
export const UNSEEN: readonly { why: string; branches: readonly string[] }[] = [
  {
    why: 'One type serves several forms of the object, and only the others have it.',
    branches: [
      'all_in_rate,move_to_break_even_pct,impact_cost_usd: sized alternative 0 alternative 2',
      'all_in_rate,move_to_break_even_pct,impact_cost_usd: sized null',
      'day,week,month: net_pnl_usd null',
      'hedge_id,deal_id,market: operator null',
      'name,hedges,market_usd: unrealized null',
      'name,state,url: identity alternative 1',
      'name,url,owner: identity alternative 1',
    ],
  },
  {
    why: 'The service may leave a figure out that every service of the tests sends, or refuse what they give.',
    branches: [
      'id,payoff_usd,carry_to_maturity_usdc: carry_to_maturity_usdc null',
      'leg,hedge_id,notional_usd: close_fee_usdc null',
      'leg,hedge_id,notional_usd: hedge_id null',
      'market,side,deals: cost_usdc null',
      'market,side,deals: upfront_usdc null',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: close_fee_usdc absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: gross_pnl_usd absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: mark_price absent',
      'net_margin_usd,close_fee_usdc,net_pnl_usd: net_pnl_usd absent',
      'ngn_asked,ngn,ngn_rest: ngn null',
      'ngn_asked,ngn,ngn_rest: ngn_rest null',
      'rate,move_pct,payoff_usd: carry_to_maturity_usdc null',
      'side,payoff_usd,accrued_carry_usdc: carry_to_maturity_usdc null',
      'side_before_usd,opened_elsewhere,side_after_usd: side_before_usd null',
    ],
  },
  {
    why: 'Records of an earlier format, or of an action that went another way than those whose records are printed.',
    branches: [
    ],
  },
  {
    why: 'Another build, disk or system than the one that runs the tests, or damage of another kind than theirs.',
    branches: [
      'file,seq,id: id null',
      'file,seq,id: seq null',
      'maturing,maybe_truncated,unresolved: journal_trouble alternative 0 alternative 0',
      'put_aside,found,result: missing null',
      'schema,command,profile: trouble alternative 0',
      'version,node,openssl: commit string',
      'version,selected,unresolved: journal_trouble alternative 0 alternative 0',
    ],
  },
  {
    why: 'A desk that was never reached, or whose log was changed: looked at on a screen.',
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
    why: 'States of these commands that are looked at on a screen, or in a table.',
    branches: [
      'at,what,order: client_reference null',
      'at,what,order: credited_usdc null',
      'at,what,order: hedge_id null',
      'chain_id,state,when: maturity_at null',
      'class,against,deal_id: market null',
      'class,against,deal_id: side null',
      'class,against,deal_id: theirs null',
      'code,message,effect: hint null',
      'due,days,weekend: covered_ngn null',
      'entry,date,title: booked_at string',
      'entry,date,title: record_hash null',
      'first_mid,first_seen_at: first_mid null',
      'first_mid,first_seen_at: first_seen_at null',
    ],
  },
];
