/** The topics of `hedge help`. The texts are src/help/*.md. */

const TOPIC_SUMMARIES = {
  trading: 'Price limits, deal IDs, partial fills, closing, limits, halt',
  treasury: 'Exposures in naira, deals from a file, maturities, what if',
  books: 'Snapshots, P&L reports, reconciliation, export to accounting',
  roll: 'Roll a hedge now or at maturity, also from cron',
  recovery: 'Lost responses: check, resume, wait, journal',
  outcomes: 'Reference: late arrivals, stale readings, two machines',
  desk: 'Several machines with one log: halts, limits, deal IDs',
  practice: 'Learn without money, with faults that you choose',
  'mock-server': 'Test other programs: time, faults, the log, life cycle',
  audit: 'Show that nobody changed the journal: verify, checkpoints',
  keys: 'Profiles, API keys, accounts, TLS and proxies',
  environment: 'Environment variables and files',
  doctor: 'Checks of hedge doctor',
  lists: 'Filters, sums and what a list covers',
  watch: 'Live updates and charts',
  json: 'The JSON document and its error codes',
  csv: 'CSV and the other output formats',
  query: 'Pick values from the document without jq',
  scripting: 'Trade from scripts and cron, safe to run again',
  assistants: 'Tools that only read, for an assistant; what it must not have',
  batch: 'Many commands over one connection',
  'exit-codes': 'Every exit code and its meaning',
} as const;

export type TopicName = keyof typeof TOPIC_SUMMARIES;

const isTopic = (name: string): name is TopicName => Object.hasOwn(TOPIC_SUMMARIES, name);

export const HELP_TOPICS: readonly { name: TopicName; summary: string }[] = Object.keys(TOPIC_SUMMARIES)
  .filter(isTopic)
  .map((name) => ({ name, summary: TOPIC_SUMMARIES[name] }));

/** `hedge help topics`, which lists them. */
export const TOPICS = { name: 'topics', summary: 'List all topics' } as const;
