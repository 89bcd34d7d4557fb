/**
 * The page that shows a book to a person. It only reads, and it has no script: a strict content security policy lets nothing
 * run, and nothing is loaded from elsewhere. All text is escaped.
 */
import { createHash } from 'node:crypto';
import { type AdminContext, makeAdmin, type PracticeStatus } from '../admin.ts';
import { hedgeFromRow } from '../book/stored-records.ts';
import { isoTime } from '../book/transaction-context.ts';
import { PRACTICE_ENVIRONMENTS, type PracticeEnvironment } from '../domain/practice-types.ts';
import { moneyText, rateText } from '../domain/scaled-decimals.ts';
import type { ReceivedRequest, RequestLog } from '../http/request-log.ts';

export interface PageContext {
  log: RequestLog;
  /** The text with every key masked. */
  withoutSecrets(text: string): string;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #777; }
* { box-sizing: border-box; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1rem; margin: 1.75rem 0 .4rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; }
nav a { margin-right: .75rem; } nav b { margin-right: .75rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: .85em; }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td.n, th.n { text-align: right; } td.w { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
.scroll { overflow-x: auto; } .dim { color: var(--dim); } p, ul { margin: .3rem 0; } ul { padding-left: 1.2rem; }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Text that is escaped already. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | readonly Markup[] | string | number;

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters and those that reverse the text around them are shown as a mark. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (text: string): string =>
  text.replaceAll(UNSEEN, '\u{fffd}').replaceAll(/[&<>"']/g, (character) => ESCAPED[character] ?? '');

function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = parts.map((part) => {
    if (part instanceof Markup) return part.text;
    return typeof part === 'object' ? part.map(({ text }) => text).join('') : escaped(String(part));
  });
  return new Markup(fixed.map((text, at) => `${text}${texts[at] ?? ''}`).join(''));
}

const REFRESH_SECONDS = 2;

function documentOf(refreshUrl: string | undefined, body: Markup): string {
  const refresh =
    refreshUrl === undefined
      ? html``
      : html`<meta http-equiv="refresh" content="${REFRESH_SECONDS};url=${refreshUrl}">`;
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>hedge practice</title>
<meta name="viewport" content="width=device-width">${refresh}
<link rel="icon" href="data:,"><style>${new Markup(STYLE)}</style></head>
<body>${body}</body></html>
`;
  return text;
}

export const messagePage = (message: string): string => documentOf(undefined, html`<p>${message}</p>`);

export async function overviewPage(
  context: PageContext,
  names: readonly string[],
  book: AdminContext,
): Promise<string> {
  const status = await makeAdmin(book).status();
  const links = names.map((name) =>
    name === book.name ? html`<b>${name}</b>` : html`<a href="${pathOf(name)}">${name}</a>`,
  );
  const body = html`<header><h1>hedge practice</h1><span>book <b>${book.name}</b></span>
<span>${timeText(Date.parse(status.book_time))} UTC</span><span class="dim">${CLOCKS[status.clock]}</span>
<span class="dim">${status.book_id}</span></header>
${names.length > 1 ? html`<nav>${links}</nav>` : ''}
<h2>Faults</h2>${faultsOf(status)}
<h2>Accounts</h2>${accountsOf(status)}
<h2>Hedges, newest first</h2>${hedgesOf(book)}
<h2>Requests, newest first</h2>${requestsOf(context, book)}
<p class="dim">Refreshes every ${REFRESH_SECONDS} s. This page only reads.</p>`;
  return context.withoutSecrets(documentOf(pathOf(book.name), body));
}

const CLOCKS = { manual: 'manual clock', wall: 'wall clock' } as const;

const pathOf = (book: string): string => `/?book=${encodeURIComponent(book)}`;

function faultsOf({ faults_in_words: sentences }: PracticeStatus): Markup {
  if (sentences.length === 0) return html`<p class="dim">No faults</p>`;
  return html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

const ACCOUNT_NAMES: Readonly<Record<PracticeEnvironment, string>> = { test: 'sandbox', live: 'live' };

function accountsOf({ books }: PracticeStatus): Markup {
  return table(PRACTICE_ENVIRONMENTS, (environment) => {
    const of = books[environment];
    const counts = Object.entries(of.hedges).flatMap(([status, count]) =>
      count > 0 ? `${count} ${status}` : [],
    );
    return {
      Account: ACCOUNT_NAMES[environment],
      '#Balance USDC': of.balance_usdc,
      '#Margin USDC': of.margin_in_use_usdc,
      '#Reserved USDC': of.reserved_usdc,
      '#Open USD': of.open_exposure_usd,
      '#Headroom USD': of.available_exposure_usd,
      '#P&L USD': of.unrealized_pnl_usd,
      Hedges: counts.join(', '),
      '#In flight': of.orders_in_flight,
    };
  });
}

const MOST_ROWS = 50;

function hedgesOf({ db }: AdminContext): Markup {
  const hedges = db.all('SELECT * FROM hedge_records ORDER BY seq DESC LIMIT ?', MOST_ROWS).map(hedgeFromRow);
  return table(hedges, (hedge) => ({
    '~Reference': hedge.client_reference ?? '',
    ID: hedge.id,
    Account: ACCOUNT_NAMES[hedge.environment],
    Market: hedge.market,
    Side: hedge.side,
    '#Notional USD': moneyText(hedge.notional),
    Status: hedge.status,
    '#Struck': hedge.struck === null ? '' : rateText(hedge.struck),
    Opened: timeText(hedge.opened_at),
    Maturity: timeText(hedge.maturity_at),
  }));
}

function requestsOf({ log }: PageContext, { name }: AdminContext): Markup {
  const newest = log.find(name, {}).slice(-MOST_ROWS).toReversed();
  return table(newest, (request) => ({
    '#No.': request.number,
    At: timeText(request.at),
    Account: request.environment === null ? 'nobody' : ACCOUNT_NAMES[request.environment],
    '~Request': `${request.method} ${request.path}${request.search}`,
    '~Key': request.key ?? '',
    '~Body': shortened(request.body.toString('utf8', 0, MOST_BODY + 4)),
    Status: statusOf(request),
    Fault: request.end?.fault ?? '',
  }));
}

const MOST_BODY = 200;

const shortened = (text: string): string =>
  text.length > MOST_BODY ? `${text.slice(0, MOST_BODY)}\u2026` : text;

function statusOf({ end }: ReceivedRequest): string {
  if (end === undefined) return 'in progress';
  const { status, code, replayed } = end;
  return [status === 0 ? 'cut' : status, code, replayed === true ? 'replayed' : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
}

/**
 * A row for each; the cells have the headers of their columns. `#` begins that of numbers, `~` that of text that may
 * break.
 */
function table<T>(each: readonly T[], rowOf: (one: T) => Readonly<Record<string, string | number>>): Markup {
  const rows = each.map((one) => Object.entries(rowOf(one)));
  const [first] = rows;
  if (first === undefined) return html`<p class="dim">None</p>`;
  const cell = (tag: 'td' | 'th', header: string, text: string | number): Markup => {
    const name = new Markup(tag);
    return html`<${name} class="${CLASSES.get(header.charAt(0)) ?? ''}">${text}</${name}>`;
  };
  const head = first.map(([header]) => cell('th', header, header.replace(/^[#~]/, '')));
  const lines = rows.map((row) => html`<tr>${row.map(([header, text]) => cell('td', header, text))}</tr>\n`);
  return html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

const CLASSES = new Map([
  ['#', 'n'],
  ['~', 'w'],
]);

/** UTC, to the second. */
const timeText = (instant: number): string => isoTime(instant).slice(0, 19).replace('T', ' ');
