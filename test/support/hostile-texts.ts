/** JSON that is no use to anybody: too deep, too wide, doubled, half a character, or aimed at what objects are made from. */

/** Names that every object knows, for the inside of one. */
export const POLLUTING =
  '"__proto__":{"polluted":1,"effect":"none"},"constructor":{"prototype":{"polluted":1}}';

const MILLION = 1_000_000;
const keys = (count: number): string =>
  Array.from({ length: count }, (_, at) => `"k${at.toString()}":0`).join(',');

export const TEXTS: readonly [name: string, text: string | Buffer][] = [
  ['lists a million deep', '['.repeat(MILLION) + ']'.repeat(MILLION)],
  ['lists half a million deep, and cut', '['.repeat(MILLION / 2)],
  ['objects a million deep', `${'{"a":'.repeat(MILLION)}1${'}'.repeat(MILLION)}`],
  ['objects sixty-five deep', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ['a million keys', `{${keys(MILLION)}}`],
  ['as many keys as fit', `{${keys(80_000)}}`],
  ['as many lists as fit', `[${'[],'.repeat(340_000)}[]]`],
  ['a key twice', '{"data":{"balance_usdc":1},"data":{"balance_usdc":2},"error":null}'],
  ['a key twice, the second time spelled otherwise', '{"version":1,"profiles":{},"\\u0070rofiles":{}}'],
  [
    'half a character',
    '{"data":{"balance_usdc":1,"available_exposure_usd":2,"\\ud800":"\\udc00"},"error":null}',
  ],
  ['bytes of no character', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a byte order mark', '\ufeff{"data":{"balance_usdc":1,"available_exposure_usd":2},"error":null}'],
  ['marks of byte order within', '{"data":\ufeff{"balance_usdc":1},"error":null}'],
  [
    'what all objects are made from',
    `{${POLLUTING},"data":{${POLLUTING}},"error":null,"meta":{${POLLUTING}}}`,
  ],
  ['a number of no size', '{"data":{"balance_usdc":1e999999,"available_exposure_usd":2},"error":null}'],
  ['a number a million long', `{"data":{"balance_usdc":${'9'.repeat(900_000)}},"error":null}`],
  ['a string a million long', `{"data":{"balance_usdc":"${'\\u0041'.repeat(170_000)}"},"error":null}`],
  ['NUL', '{"data":"\u0000"}'],
  ['nothing', ''],
  ['null', 'null'],
];
