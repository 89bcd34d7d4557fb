/** Reads the tags and lengths of DER, the encoding of certificates and TLS sessions. */
export interface Element {
  tag: number;
  /** The offsets of its content. */
  start: number;
  end: number;
}

/** The element at `at`; undefined where none begins, or it would end after the bytes do. */
export function elementAt(bytes: Uint8Array, at: number): Element | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : derInteger(bytes, at + 2, start);
  const end = start + length;
  return end > bytes.length ? undefined : { tag, start, end };
}

/** The elements that fill `within` from its start to its end; undefined when they do not. */
export function elementsIn(bytes: Uint8Array, within: Pick<Element, 'start' | 'end'>): Element[] | undefined {
  const found: Element[] = [];
  for (let at = within.start; at < within.end; ) {
    const element = elementAt(bytes, at);
    if (element === undefined || element.end > within.end) return undefined;
    found.push(element);
    at = element.end;
  }
  return found;
}

/** The bytes from `start` to `end` as an unsigned number. */
export const derInteger = (bytes: Uint8Array, start: number, end: number): number =>
  bytes.subarray(start, end).reduce((sum, byte) => sum * 256 + byte, 0);
