/** Double entry as files for accounting, as a table and as a screen. */

import type { ExportFormat } from '../../args/export-options.ts';
import { counted } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { instantText } from '../../domain/instants.ts';
import { totalValue } from '../../domain/net-asset-value.ts';
import type { AccountNames } from '../../domain/postings.ts';
import type { ExportReading } from '../../readings/read-export.ts';
import type { SnapshotFigures } from '../../readings/snapshot-figures.ts';
import type { BookedDocument } from '../../schema/reading-document.ts';
import { accountingText, tagsOf, titleOf } from '../accounting-text.ts';
import { hintLine, line, phraseLine, type View } from '../blocks.ts';
import { nameText, phrase, text } from '../cells.ts';
import type { RecordTable } from '../record-table.ts';
import { renderCsv } from '../render-csv.ts';
import { minute, signedIn, usd } from './record-columns.ts';

interface Booking {
  reading: ExportReading;
  names: AccountNames;
  /** `2026-11-20`, in the zone of the reading. */
  dateOf: (ms: number) => string;
  profile: string;
}

export interface BookedExport extends Booking {
  /** Text for standard output or the file; undefined for a workbook. */
  content: string | undefined;
}

/** Nothing of now, so that a second export is the same. */
const aboutOf = ({ reading: { identity, zone }, profile }: Booking): readonly string[] => [
  `hedge export of ${profile} (${identity.environment}), amounts in USDC with USD at par`,
  `dates of ${zone}`,
];

/** Undefined: a workbook, which is no text. */
export function exportText(booked: Booking, format: ExportFormat): string | undefined {
  const { reading, names, dateOf } = booked;
  const accounts = { entries: reading.entries, names, about: aboutOf(booked), dateOf };
  switch (format) {
    case 'hledger':
    case 'beancount':
      return accountingText(accounts, format);
    case 'csv':
      return renderCsv(postingTable(booked), { harmless: false });
    case 'xlsx':
      return undefined;
    default:
      return format satisfies never;
  }
}

/** The columns of the table, with their headings in a spreadsheet. */
const COLUMNS = [
  { name: 'entry', header: 'Entry', width: 7 },
  { name: 'date', header: 'Date', width: 11 },
  { name: 'title', header: 'Transaction', width: 44 },
  { name: 'account', header: 'Account', width: 28 },
  { name: 'amount_usdc', header: 'Amount USDC', width: 18 },
  { name: 'deal_id', header: 'Deal ID', width: 24 },
  { name: 'hedge_id', header: 'Hedge', width: 22 },
  { name: 'at', header: 'At (UTC)', width: 25 },
  { name: 'booked_at', header: 'Booked at (UTC)', width: 25 },
  { name: 'record_hash', header: 'Record', width: 66 },
] as const;
export const POSTING_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name);

/** One record a posting. */
export const postingTable = (booked: Booking): RecordTable => ({
  columns: POSTING_COLUMNS,
  records: postingRecords(booked),
});

const postingRecords = ({ reading, names, dateOf }: Booking) =>
  reading.entries.flatMap((entry, index) => {
    const tags = new Map(tagsOf(entry));
    return entry.postings.map(({ account, amount }) => ({
      entry: index + 1,
      date: dateOf(entry.ms),
      title: titleOf(entry),
      account: names[account],
      amount_usdc: amount.toFixed(6),
      deal_id: tags.get('deal') ?? null,
      hedge_id: tags.get('hedge') ?? null,
      at: instantText(entry.happenedMs),
      booked_at: tags.get('booked') ?? null,
      record_hash: tags.get('record') ?? null,
    }));
  });

/** The columns of the table, for a spreadsheet. */
export async function bookedWorkbook(booked: BookedExport): Promise<Uint8Array> {
  const { workbook } = await import('../workbook.ts');
  const rows = postingRecords(booked).map((each) => [
    { amount: each.entry.toString(), decimals: 0 },
    { date: each.date },
    { text: each.title },
    { text: each.account },
    { amount: each.amount_usdc, decimals: 6 },
    ...[each.deal_id, each.hedge_id, each.at, each.booked_at, each.record_hash].map((tag) => ({
      text: tag ?? '',
    })),
  ]);
  return workbook('hedge export', COLUMNS, rows);
}

export const bookedDocument = (booked: BookedExport): BookedDocument => {
  const { fromMs, untilMs, last, entries, zone } = booked.reading;
  return {
    derived: {
      zone,
      from: instantText(fromMs),
      until: untilMs === undefined ? null : instantText(untilMs),
      last_snapshot: instantText(last.ms),
      entries: entries.length,
      postings: postingRecords(booked),
    },
  };
};

export const viewExportedBooks = ({ reading }: BookedExport): View => [
  phraseLine`${text('Written', 'good')} ${counted(reading.entries.length, 'transaction')} to ${nameText(reading.intent.file ?? '')}.`,
  balancesLines(reading),
  hintLine(say`The accounts, and the time of each transaction: ${shell`hedge help books`}`),
];

const balancesLines = ({ balanced, next }: ExportReading): View => [
  balanced === undefined
    ? phraseLine`The file ends without balances${next && phrase`: the next snapshot is of ${minute(next.ms)}`}.`
    : phraseLine`The last balances are those of the snapshot of ${minute(balanced.ms)}.`,
  unbookedLine(balanced),
];

function unbookedLine(balanced: SnapshotFigures | undefined): View {
  if (balanced?.margin === undefined) return line('Unrealized P&L is not booked.');
  const { value, margin } = balanced;
  const unrealized = value.net_margin_usd.minus(margin);
  if (unrealized.eq(0)) return [];
  return phraseLine`Unrealized P&L less fees to close is not booked: ${signedIn('USDC', unrealized)}. With it the net asset value is ${usd(totalValue(value), 'USDC')}.`;
}
