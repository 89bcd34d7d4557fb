/** The output of `hedge practice serve` for other programs, in the language they are written in. */
import { shellWord } from '../../domain/hint.ts';
import type { ServedDocument } from '../../schema/machine-document.ts';
import { type View, verbatimLines } from '../blocks.ts';

/** Without a language, what `hedge` itself needs. */
export interface ServedScreen {
  served: ServedDocument;
  language: 'sh' | 'python' | 'go' | undefined;
}

export const viewServedPractice = ({ served, language }: ServedScreen): View =>
  verbatimLines(
    [
      ...LINES[language ?? 'hedge'](served),
      `${language === 'go' ? '//' : '#'} Page for a browser, once: ${served.page_url}`,
    ].join('\n'),
  );

const LINES: Readonly<
  Record<NonNullable<ServedScreen['language']> | 'hedge', (served: ServedDocument) => readonly string[]>
> = {
  hedge: ({ base_url: baseUrl, ca_file: caFile, keys }) => [
    '# Practice service, sandbox key.',
    '# For the live key, use the last line.',
    `export HEDGE_BASE_URL=${shellWord(baseUrl)}`,
    `export HEDGE_CA_FILE=${shellWord(caFile)}`,
    `export HEDGE_API_KEY=${shellWord(keys.test)}`,
    `# export HEDGE_API_KEY=${shellWord(keys.live)}`,
  ],
  sh: (served) => environmentLines(served).map((line) => `export ${line}`),
  python: (served) => [
    ...constantsOf(served).map(([name, , value]) => `${name} = ${literal(value)}`),
    'BOOKS = {',
    ...served.books.map(
      ({ name, base_url: url, keys }) =>
        `    ${literal(name)}: {"base_url": ${literal(url)}, "api_key": ${literal(keys.test)}, "live_key": ${literal(keys.live)}},`,
    ),
    '}',
  ],
  go: (served) => [
    'const (',
    ...constantsOf(served).map(
      ([, name, value]) => `    ${name.padEnd('ControlURL'.length)} = ${literal(value)}`,
    ),
    ')',
    '',
    'var Books = map[string]struct{ BaseURL, APIKey, LiveKey string }{',
    ...served.books.map(
      ({ name, base_url: url, keys }) =>
        `    ${literal(name)}: {${[url, keys.test, keys.live].map(literal).join(', ')}},`,
    ),
    '}',
  ],
};

/** The name of each in the environment and in Python, and in Go. */
const constantsOf = ({ base_url, ca_file, keys, control }: ServedDocument) =>
  [
    ['BASE_URL', 'BaseURL', base_url],
    ['CA_FILE', 'CAFile', ca_file],
    ['API_KEY', 'APIKey', keys.test],
    ['LIVE_KEY', 'LiveKey', keys.live],
    ['CONTROL_URL', 'ControlURL', control.base_url],
    ['CONTROL_KEY', 'ControlKey', control.key],
  ] as const;

/** A JSON string is a string of Python and of Go. */
const literal = (value: string): string => JSON.stringify(value);

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
  const own = Object.fromEntries(constantsOf(served).map(([name, , value]) => [`HEDGE_${name}`, value]));
  return Object.assign(own, ...books);
}

export const environmentLines = (served: ServedDocument): readonly string[] =>
  Object.entries(variablesOf(served)).map(([name, value]) => `${name}=${shellWord(value)}`);
