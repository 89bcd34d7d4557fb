/**
 * Answers of a service gone mad, made from good ones: at the level of JSON, of bytes and of HTTP, the same for the same
 * seed. None of them is a refusal that the specification knows, so that none is a lie that a client must believe.
 */
import { testRandom } from '../../practice/support/practice-service.ts';
import type { Reply } from './fault-proxy.ts';

export interface Mutation {
  name: string;
  bytes: Uint8Array;
}

interface Draw {
  below(count: number): number;
  of<T>(list: readonly [T, ...T[]]): T;
}

function drawing(seed: number): Draw {
  const { fraction } = testRandom(seed);
  const below = (count: number): number => Math.floor(fraction() * count);
  return { below, of: (list) => list[below(list.length)] ?? list[0] };
}

/** Values as they are written, so that what JSON cannot say can be among them. */
const ODD: readonly [string, ...string[]] = [
  'null',
  '{}',
  '[]',
  '""',
  '-1',
  '0',
  'true',
  '1e400',
  '-1e-400',
  '123456789012345678901234567890.123456789',
  'NaN',
  '01',
  '"\\u001b]0;title\\u0007\\u001b[2J\\u202e"',
  '"\\ud800"',
  '"=1+1"',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  `"${'x'.repeat(70_000)}"`,
  `${'['.repeat(60)}${']'.repeat(60)}`,
  '['.repeat(200_000),
  '"2026-13-45T99:99:99Z"',
  '"../../hedges/close"',
  '"hdg_\\r\\nX-Other: 1"',
];

const json = (draw: Draw, text: string): string => {
  // Every value of the document, a name with its value, or a piece of punctuation.
  const parts = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g)];
  const part = parts[draw.below(parts.length)];
  if (part === undefined) return draw.of(ODD);
  const from = part.index;
  const until = from + part[0].length;
  const put = draw.of([draw.of(ODD), draw.of(ODD), '', `"__proto__"`, `${part[0]}${part[0]}`]);
  return `${text.slice(0, from)}${put}${text.slice(until)}`;
};

const whole = (draw: Draw, text: string): string => {
  const odd = draw.of(ODD);
  return draw.of([
    odd,
    `{"data":${odd},"error":null,"meta":{}}`,
    `{"data":[${odd},${odd}],"error":null,"meta":{}}`,
    `{"data":null,"error":${odd},"meta":{}}`,
    `{"data":{},"error":null,"meta":${odd}}`,
    text.replace('"data"', '"data":1,"data"'),
    text.replace('"error":null', `"error":${odd}`),
    text.replace('"meta"', '"__proto__"'),
    text.replace(/"([a-z_]+)":/g, (name) => (draw.below(4) === 0 ? `"${'_'.repeat(draw.below(9))}":` : name)),
    text.replace(/\d+(\.\d+)?/g, (digits) => (draw.below(4) === 0 ? `"${digits}"` : digits)),
    text.replace(/\d+(\.\d+)?/g, (digits) => (draw.below(4) === 0 ? `-${digits}` : digits)),
    `${text}${text}`,
    '',
  ]);
};

function bytesOf(draw: Draw, text: string): Buffer {
  const good = Buffer.from(text);
  const at = draw.below(good.length + 1);
  switch (draw.below(6)) {
    case 0: {
      const flipped = Buffer.from(good);
      for (let flips = 0; flips <= draw.below(4); flips++) {
        const place = draw.below(flipped.length);
        flipped[place] = (flipped[place] ?? 0) ^ (1 << draw.below(8));
      }
      return flipped;
    }
    case 1:
      return good.subarray(0, at);
    case 2:
      return Buffer.concat([good.subarray(0, at), Buffer.from([0, 0xff, 0xfe, 0x1b]), good.subarray(at)]);
    case 3:
      return Buffer.concat([Buffer.from('\ufeff'), good]);
    case 4:
      return Buffer.concat([good.subarray(0, at), good]);
    default:
      return Buffer.alloc(1_100_000, 0x20);
  }
}

/** Not those that say no by themselves: 401, 403, 429. */
const STATUSES: readonly [string, ...string[]] = [
  '000',
  '099',
  '100',
  '102',
  '201',
  '202',
  '204',
  '206',
  '301',
]
  .concat(['304', '307', '308', '400', '404', '418', '451', '500', '502', '599', '600', '999', 'OK', '2 00'])
  .reduce<[string, ...string[]]>((all, one) => [...all, one], ['200']);

const HEADERS: readonly [string, ...string[]] = [
  'content-length: 5',
  'content-length: 99999999',
  'content-length: -1',
  'content-length: 1\r\ncontent-length: 2',
  'transfer-encoding: chunked',
  'transfer-encoding: chunked\r\ncontent-length: 3',
  'content-encoding: gzip',
  'content-encoding: br',
  'location: https://elsewhere.test/partner/v2/hedges',
  `x-long: ${'y'.repeat(20_000)}`,
  'date: yesterday',
  'date: Fri, 31 Dec 9999 23:59:59 GMT',
  'retry-after: -5',
  'retry-after: 1e9',
  'retry-after: soon',
  'set-cookie: a=b\r\nset-cookie: c=d',
  'bad header without colon',
  ' folded: 1',
  'x-null: \0',
  'connection: upgrade\r\nupgrade: h2c',
  'content-type: text/html; charset=utf-16',
];

const http = (status: string, headers: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${headers}\r\n\r\n`), body]);

const RAW: readonly [string, ...string[]] = [
  '',
  '\0'.repeat(100),
  'HTTP/0.9\r\n\r\n',
  'HTTP/2.0 200\r\n\r\n{}',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'SSH-2.0-OpenSSH_9.6\r\n',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}',
  'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}',
  `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
];

/** `seed`: any whole number. */
export function mutated({ status, body }: Pick<Reply, 'status' | 'body'>, seed: number): Mutation {
  const draw = drawing(seed);
  const text = body.toString();
  const headed = (bytes: Uint8Array): Buffer =>
    http(
      status.toString(),
      `content-type: application/json\r\ncontent-length: ${bytes.length.toString()}`,
      bytes,
    );
  switch (draw.below(8)) {
    case 0:
    case 1:
    case 2:
      return { name: 'a part of the document', bytes: headed(Buffer.from(json(draw, text))) };
    case 3:
      return { name: 'the document', bytes: headed(Buffer.from(whole(draw, text))) };
    case 4:
      return { name: 'bytes', bytes: headed(bytesOf(draw, text)) };
    case 5:
      return {
        name: 'a status',
        bytes: http(draw.of(STATUSES), `content-length: ${body.length.toString()}`, body),
      };
    case 6:
      return { name: 'a header', bytes: http(status.toString(), draw.of(HEADERS), body) };
    default:
      return { name: 'HTTP itself', bytes: Buffer.from(draw.of(RAW)) };
  }
}
