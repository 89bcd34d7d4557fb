/** Blocks of a view as one page of HTML that needs nothing else: no script, no font, no picture, no request. */
import type { Block, Column, View } from './blocks.ts';
import { type Cell, missing, type Parts, partsIn } from './cells.ts';
import { type CellFormat, cellText } from './format.ts';
import { escapeMarkup } from './svg-charts.ts';

/** The first words of a page that hedge wrote. */
const MARK = '<!doctype html><!-- written by hedge -->';

export const isHtmlPage = (text: string): boolean => text.startsWith(MARK);

const STYLE = `
@page { size: A4; margin: 14mm }
body { font: 10.5pt/1.45 system-ui, sans-serif; color: #1b1f24; max-width: 190mm; margin: 8mm auto; padding: 0 4mm }
h1 { font-size: 15pt; margin: 0 } header p { color: #57606a; margin: 1mm 0 4mm }
table { border-collapse: collapse; width: 100%; margin: 4mm 0; font-size: 9pt; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 600; color: #57606a; border-bottom: 1px solid #8c959f; font-size: 7.5pt; vertical-align: bottom }
th, td { padding: 0.8mm 1.2mm } td { border-bottom: 1px solid #eaeef2 } td:first-child { white-space: nowrap } tr { break-inside: avoid }
.many { font-size: 7pt } .many th { font-size: 6pt } .right { text-align: right; white-space: nowrap } .strong { font-weight: 600 } .dim { color: #57606a }
.good, .gain-text { color: #116329 } .bad { color: #a40e26 } .warn { color: #7d4e00 } p { margin: 1mm 0 }
figure { margin: 5mm 0; break-inside: avoid } figcaption { font-weight: 600; font-size: 9.5pt } svg { width: 100%; height: auto }
.grid { stroke: #d8dee4 } .zero { stroke: #57606a } .label { font-size: 9.5px; fill: #57606a } .value { font-size: 9.5px; fill: #1b1f24 }
.level { fill: #8c959f } .gain, .kind0 { fill: #2da44e } .loss { fill: #cf222e } .kind0 { fill: #0969da } .kind1 { fill: #a9c7ec }
.line { fill: none; stroke: #0969da; stroke-width: 1.6 } .dot { fill: #0969da }
`;

export interface HtmlPage {
  title: string;
  /** Under the title. */
  about: string;
  /** Markup, between the first table and the rest. */
  charts: Parts<string>;
  view: View;
}

/** The policy forbids every request, should a text of the service ever become markup. */
export function htmlPage({ title, about, charts, view }: HtmlPage, format: CellFormat): string {
  const blocks = partsIn(view);
  const first = blocks.findIndex(({ kind }) => kind === 'table') + 1;
  const body = (some: readonly Block[]): string => some.map((block) => blockMarkup(block, format)).join('\n');
  return `${MARK}
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title><style>${STYLE}</style></head>
<body><header><h1>${escapeMarkup(title)}</h1><p>${escapeMarkup(about)}</p></header>
${body(blocks.slice(0, first))}
${partsIn(charts).join('\n')}
${body(blocks.slice(first))}
</body></html>
`;
}

const tag = (name: 'td' | 'th', content: string, { align }: Column): string =>
  `<${name}${align === 'right' ? ' class="right"' : ''}>${content}</${name}>`;

function blockMarkup(block: Block, format: CellFormat): string {
  if (block.kind === 'line')
    return `<p>${block.cells
      .map((cell) => cellMarkup(cell, format))
      .join(' ')
      .replace(/ (?=<span[^>]*>[.,;:)])/g, '')}</p>`;
  if (block.kind !== 'table') return '';
  const { columns, rows } = block;
  if (rows.length === 0) return `<p class="dim">${escapeMarkup(block.empty ?? '')}</p>`;
  // A page has no room for what a narrow screen leaves out first.
  const shown = columns.flatMap((column, at) => (column.optional === 'first' ? [] : [{ column, at }]));
  const head = shown.map(({ column }) => tag('th', escapeMarkup(column.header), column)).join('');
  const lines = rows.map(
    (row) =>
      `<tr>${shown.map(({ column, at }) => tag('td', cellMarkup(row[at] ?? missing, format), column)).join('')}</tr>`,
  );
  const kind = shown.length > MANY ? ' class="many"' : '';
  return `<table${kind}><thead><tr>${head}</tr></thead><tbody>${lines.join('\n')}</tbody></table>`;
}

/** Columns, at the usual size of letters. */
const MANY = 6;

const cellMarkup = (cell: Cell, format: CellFormat): string =>
  `<span class="${cell.tone ?? 'plain'}">${escapeMarkup(cellText(cell, format))}</span>`;
