/** How an answer may repeat a key without having one of its characters in a row as they are. */

type Spelling = (key: string) => string;

const each =
  (spelled: (code: number, at: number) => string): Spelling =>
  (key) =>
    Array.from(key, (character, at) => spelled(character.charCodeAt(0), at)).join('');

const hex = (code: number): string => code.toString(16).padStart(2, '0');
const unicode = (code: number): string => `\\u00${hex(code)}`;

/** Within the JSON itself: what any reader of JSON makes the key of. */
export const IN_JSON: readonly [name: string, spelled: Spelling][] = [
  ['as it is', (key) => key],
  ['slashes escaped', (key) => key.replaceAll('/', '\\/')],
  ['signs escaped', (key) => key.replace(/\W/g, (sign) => unicode(sign.charCodeAt(0)))],
  ['every character escaped', each(unicode)],
  [
    'every other character escaped, in capitals',
    each((code, at) => (at % 2 === 0 ? `\\u00${hex(code).toUpperCase()}` : String.fromCharCode(code))),
  ],
];

/** Within a text: what a service may have quoted from another one's answer, log or address. */
export const IN_TEXT: readonly [name: string, spelled: Spelling][] = [
  ['an answer in an answer', each(unicode)],
  ['an answer in an answer in an answer', (key) => each((code) => `\\${unicode(code)}`)(key)],
  ['slashes escaped twice', (key) => key.replaceAll('/', '\\\\/')],
  ['source code', each((code) => `\\x${hex(code)}`)],
  ['newer source code', each((code) => `\\u{${hex(code)}}`)],
  ['an address', encodeURIComponent],
  ['an address in an address', (key) => encodeURIComponent(encodeURIComponent(key))],
  ['an address, all of it', each((code) => `%${hex(code)}`)],
  ['a page', each((code) => `&#${code.toString()};`)],
  ['a page, in hexadecimal', each((code) => `&#x${hex(code)};`)],
  ['soft hyphens', each((code) => `${String.fromCharCode(code)}\u00ad`)],
  ['joiners and selectors', each((code) => `${String.fromCharCode(code)}\u200d\ufe0f`)],
  ['capitals', (key) => key.toUpperCase()],
];
