/** Reads the arguments of `hedge export`, and the file of accounts. */
import { type Fields, isFields } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { type AccountNames, POSTING_ACCOUNTS, USUAL_ACCOUNTS } from '../domain/postings.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { readMoment } from './list-filter.ts';
import { oneMeant, parsedJson } from './operands.ts';
import { optionText, type RawInput, readOption } from './option.ts';
import { savesReading } from './shared-options.ts';

export const EXPORT_FORMATS = ['hledger', 'beancount', 'csv', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportIntent = ReturnType<typeof readExportIntent>;

export function readExportIntent(raw: RawInput) {
  const [file] = raw.operands;
  const format = readFormat(optionText(raw, 'format'));
  if (file?.trim() === '')
    throw new UsageError('The file name is empty.', say`Example: ${shell`hedge export november.journal`}`);
  if (format === 'xlsx' && file === undefined)
    throw new UsageError(
      'A workbook needs a file.',
      say`Example: ${shell`hedge export november.xlsx --format xlsx`}`,
    );
  return {
    format,
    /** Undefined: standard output. */
    file,
    since: readOption(raw, 'since', readMoment),
    until: readOption(raw, 'until', readMoment),
    /** The path of the file of accounts. */
    accounts: optionText(raw, 'accounts'),
    saves: savesReading(raw),
  };
}

function readFormat(text: string | undefined): ExportFormat {
  if (text === undefined)
    throw new UsageError('Missing --format.', `Use --format ${EXPORT_FORMATS.join(', ')}.`);
  return oneMeant(EXPORT_FORMATS, text, 'a format (--format)');
}

/** These hold the service's balances: each is an account of its own. */
const HELD = ['balance', 'margin', 'reserved'] as const;

const PART = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}._&'-]| (?! ))*";
const ANY_NAME = new RegExp(`^${PART}(?::${PART})*$`, 'u');
/** Beancount knows five roots, and begins each part with a capital or a digit. */
const BEANCOUNT_NAME = /^(?:Assets|Liabilities|Equity|Income|Expenses)(?::[A-Z0-9][A-Za-z0-9-]*)+$/;

/** Accounts that the file does not name are the usual ones. @throws UsageError */
export function readAccountNames(content: string, path: string, format: ExportFormat): AccountNames {
  const wrong = (why: string): UsageError =>
    new UsageError(
      `The accounts ${quoted(path)}: ${why}.`,
      `Example: { "balance": "${USUAL_ACCOUNTS.balance}", "fees": "${USUAL_ACCOUNTS.fees}" }`,
    );
  const fields = parsedJson(content.replace(/^\ufeff/, ''));
  if (!isFields(fields) || !areTexts(fields)) throw wrong('it is not one JSON object of texts');
  const unknown = Object.keys(fields).find((name) => !POSTING_ACCOUNTS.some((each) => each === name));
  if (unknown !== undefined) throw wrong(`${quoted(unknown)} is not one of ${POSTING_ACCOUNTS.join(', ')}`);
  const isName = format === 'beancount' ? BEANCOUNT_NAME : ANY_NAME;
  const misnamed = Object.values(fields).find((name) => !isName.test(name));
  if (misnamed !== undefined) throw wrong(`${quoted(misnamed)} is not the name of an account`);
  const names = { ...USUAL_ACCOUNTS, ...fields };
  for (const held of HELD) {
    const same = POSTING_ACCOUNTS.find((each) => each !== held && names[each] === names[held]);
    if (same !== undefined)
      throw wrong(
        `${held} and ${same} are one account. ${HELD.join(', ')} must each be an account of its own`,
      );
  }
  return names;
}

const areTexts = (fields: Fields): fields is Readonly<Record<string, string>> =>
  Object.values(fields).every((value) => typeof value === 'string');
