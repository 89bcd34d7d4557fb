/** Double entry as text: for hledger and for beancount, the same bytes for the same entries. */
import type { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { instantText } from '../domain/instants.ts';
import { type AccountingEntry, type AccountNames, POSTING_ACCOUNTS } from '../domain/postings.ts';

export interface AccountingExport {
  entries: readonly AccountingEntry[];
  names: AccountNames;
  /** Lines of the head: the account, and the zone of the dates. */
  about: readonly string[];
  /** `2026-11-20`, in that zone. */
  dateOf: (ms: number) => string;
}

const COMMODITY = 'USDC';
const DECIMALS = 6;

/** Every letter but these could end a tag, a string or a line. */
const UNSAFE = /[^A-Za-z0-9 ._:/#@+-]/gu;

/** A text that somebody else chose; other letters as `%` and their bytes. */
export const plainText = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );

/** `Open buy USDTNGN 10000.00 USD`. */
export function titleOf({ kind, deal, size, postings }: AccountingEntry): string {
  if (kind === 'first') return 'Opening balances at the first snapshot, with all before it';
  if (kind === 'opening') return 'Opening balances';
  if (deal === undefined)
    return postings.some(({ account }) => account === 'unexplained')
      ? 'Balances of the service, with an unexplained part'
      : 'Balances of the service';
  const now = size === undefined ? '' : ` (hedge now ${size.toFixed(2)} USD)`;
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${deal.side} ${plainText(deal.market)}${now}`;
}

/** In a fixed order; a text that is not known is left out. */
export function tagsOf(entry: AccountingEntry): readonly (readonly [name: string, text: string])[] {
  const { ms, happenedMs, deal, hash } = entry;
  const tags: readonly (readonly [string, string | undefined])[] = [
    ['deal', deal?.dealId],
    ['hedge', deal?.hedgeId],
    ['at', instantText(happenedMs)],
    ['booked', ms === happenedMs ? undefined : instantText(ms)],
    ['record', hash],
  ];
  return tags.flatMap(([name, text]) => (text === undefined ? [] : [[name, plainText(text)] as const]));
}

/** Before any snapshot. */
const OPENED = '1970-01-01';

/** How each format writes its accounts, the first line of a transaction and a tag. */
const FORMATS = {
  /** Declared so that `hledger check --strict` passes; the service's balances are asserted. */
  hledger: {
    accounts: (names: readonly string[]) => [
      `commodity 1000.${'0'.repeat(DECIMALS)} ${COMMODITY}`,
      ...names.map((name) => `account ${name}`),
    ],
    transaction: (date: string, title: string) => `${date} ${title}`,
    tag: (name: string, words: string) => `    ; ${name}: ${words}`,
    indent: '    ',
    asserts: true,
  },
  beancount: {
    accounts: (names: readonly string[]) => names.map((name) => `${OPENED} open ${name} ${COMMODITY}`),
    transaction: (date: string, title: string) => `${date} * "${title}"`,
    tag: (name: string, words: string) => `  ${name}: "${words}"`,
    indent: '  ',
    asserts: false,
  },
} as const;

export function accountingText(
  { entries, names, about, dateOf }: AccountingExport,
  format: keyof typeof FORMATS,
): string {
  const { accounts, transaction, tag, indent, asserts } = FORMATS[format];
  // All accounts, used or not, so that a later export only adds lines.
  const all = [...new Set(POSTING_ACCOUNTS.map((account) => names[account]))];
  const texts = entries.map((entry) =>
    [
      transaction(dateOf(entry.ms), titleOf(entry)),
      ...tagsOf(entry).map(([name, words]) => tag(name, words)),
      ...entry.postings.map(({ account, amount }) => {
        const held = asserts ? ownField({ ...entry.asserted }, account) : undefined;
        const assertion = held && ` = ${inCommodity(held)}`;
        return `${indent}${names[account]}  ${inCommodity(amount)}${assertion ?? ''}`;
      }),
    ].join('\n'),
  );
  const head = [...about.map((line) => `; ${line}`), ...accounts(all)];
  return `${[head.join('\n'), ...texts].join('\n\n')}\n`;
}

const inCommodity = (amount: Big): string => `${amount.toFixed(DECIMALS)} ${COMMODITY}`;
