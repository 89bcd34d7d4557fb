/** The output of `hedge practice serve` for other programs, in the language they are written in. */
import { shellWord } from '../../domain/hint.ts';
import type { ServedDocument } from '../../schema/machine-document.ts';
import type { View } from '../blocks.ts';

/** Without a language, what `hedge` itself needs. */
export interface ServedScreen {
  served: ServedDocument;
  language: 'sh' | 'python' | 'go' | undefined;
}

export function viewServedPractice({ served, language }: ServedScreen): View {
  return linesIn(language, served).map((line) => ({ kind: 'verbatim', text: line }));
}

function linesIn(language: ServedScreen['language'], served: ServedDocument): readonly string[] {
  switch (language) {
    case undefined:
      return ownLines(served);
    case 'sh':
      return shellLines(served);
    case 'python':
      return pythonLines(served);
    case 'go':
      return goLines(served);
    default:
      return language satisfies never;
  }
}

const exported = (name: string, value: string): string => `export ${name}=${shellWord(value)}`;

const ownLines = ({
  base_url: baseUrl,
  ca_file: caFile,
  keys,
  page_url: pageUrl,
}: ServedDocument): readonly string[] => [
  '# Practice service, sandbox key.',
  '# For the live key, use the last line.',
  exported('HEDGE_BASE_URL', baseUrl),
  exported('HEDGE_CA_FILE', caFile),
  exported('HEDGE_API_KEY', keys.test),
  `# ${exported('HEDGE_API_KEY', keys.live)}`,
  pageLine('#', pageUrl),
];

const pageLine = (comment: '#' | '//', url: string): string => `${comment} Page for a browser, once: ${url}`;

/** By name, as a program finds them in its environment. */
export function variablesOf(served: ServedDocument): Readonly<Record<string, string>> {
  const books = served.books.map((book) => {
    const prefix = `HEDGE_${book.name.toUpperCase().replaceAll('-', '_')}`;
    return {
      [`${prefix}_BASE_URL`]: book.base_url,
      [`${prefix}_API_KEY`]: book.keys.test,
      [`${prefix}_LIVE_KEY`]: book.keys.live,
    };
  });
  const own = {
    HEDGE_BASE_URL: served.base_url,
    HEDGE_CA_FILE: served.ca_file,
    HEDGE_API_KEY: served.keys.test,
    HEDGE_LIVE_KEY: served.keys.live,
    HEDGE_CONTROL_URL: served.control.base_url,
    HEDGE_CONTROL_KEY: served.control.key,
  };
  return Object.assign(own, ...books);
}

/** Lines of NAME=value. */
export const environmentLines = (served: ServedDocument): readonly string[] =>
  Object.entries(variablesOf(served)).map(([name, value]) => `${name}=${shellWord(value)}`);

const shellLines = (served: ServedDocument): readonly string[] => [
  ...environmentLines(served).map((text) => `export ${text}`),
  pageLine('#', served.page_url),
];

/** A JSON string is a string of Python and of Go. */
const literal = (value: string): string => JSON.stringify(value);

const pythonLines = (served: ServedDocument): readonly string[] => [
  `BASE_URL = ${literal(served.base_url)}`,
  `CA_FILE = ${literal(served.ca_file)}`,
  `API_KEY = ${literal(served.keys.test)}`,
  `LIVE_KEY = ${literal(served.keys.live)}`,
  `CONTROL_URL = ${literal(served.control.base_url)}`,
  `CONTROL_KEY = ${literal(served.control.key)}`,
  'BOOKS = {',
  ...served.books.map(
    (book) =>
      `    ${literal(book.name)}: {"base_url": ${literal(book.base_url)}, "api_key": ${literal(book.keys.test)}, "live_key": ${literal(book.keys.live)}},`,
  ),
  '}',
  pageLine('#', served.page_url),
];

const goLines = (served: ServedDocument): readonly string[] => [
  'const (',
  `    BaseURL    = ${literal(served.base_url)}`,
  `    CAFile     = ${literal(served.ca_file)}`,
  `    APIKey     = ${literal(served.keys.test)}`,
  `    LiveKey    = ${literal(served.keys.live)}`,
  `    ControlURL = ${literal(served.control.base_url)}`,
  `    ControlKey = ${literal(served.control.key)}`,
  ')',
  '',
  'var Books = map[string]struct{ BaseURL, APIKey, LiveKey string }{',
  ...served.books.map(
    (book) =>
      `    ${literal(book.name)}: {${literal(book.base_url)}, ${literal(book.keys.test)}, ${literal(book.keys.live)}},`,
  ),
  '}',
  pageLine('//', served.page_url),
];
