/**
 * The API key, which prints and serializes as its mask; redaction of anything that looks like a key; and masking of one
 * key in responses, also when escaped (JSON, URL, HTML) or mixed with invisible characters.
 */
import { createHash } from 'node:crypto';
import { CredentialError } from '../errors.ts';
import { isFields } from './fields.ts';
import { once } from './once.ts';

/** Specification §5: `<prefix>_live_…` addresses production, `<prefix>_test_…` the sandbox. */
const SHAPE = /^(?<head>[A-Za-z0-9]+_(?<kind>live|test)_)(?<secret>[\x21-\x7e]+)$/;

/** A secret shorter than this shows none of its characters. */
const SHORTEST_WITH_TAIL = 12;
const TAIL = 4;
const FINGERPRINT_DIGITS = 8;

export class ApiKey {
  readonly #text: string;
  /** Chosen by the prefix (§5). The practice service's keys read as one of these two as well. */
  readonly environment: 'live' | 'sandbox';
  /** Safe to show: `hk_live_…9f2c`. */
  readonly masked: string;

  private constructor(text: string, environment: 'live' | 'sandbox', masked: string) {
    this.#text = text;
    this.environment = environment;
    this.masked = masked;
  }

  /** @throws CredentialError `credential_unusable`; its message never repeats the text. */
  static of(text: string): ApiKey {
    const parts = SHAPE.exec(text)?.groups;
    const head = parts?.['head'];
    const secret = parts?.['secret'];
    if (head === undefined || secret === undefined) throw unusable(text);
    const tail = secret.length < SHORTEST_WITH_TAIL ? '' : secret.slice(-TAIL);
    return new ApiKey(text, parts?.['kind'] === 'live' ? 'live' : 'sandbox', `${head}…${tail}`);
  }

  /** First eight hexadecimal digits of the SHA-256: tells keys apart, gives nothing away. */
  get fingerprint(): string {
    return createHash('sha256').update(this.#text).digest('hex').slice(0, FINGERPRINT_DIGITS);
  }

  /** The key itself. For the Authorization header and the profile's file, nothing else. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return this.masked;
  }

  toJSON(): string {
    return this.masked;
  }

  /** The form that `util.inspect` and console.log show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `ApiKey(${this.masked})`;
  }
}

function unusable(text: string): CredentialError {
  const foreign = /[^\x21-\x7e]/.test(text);
  return new CredentialError({
    code: 'credential_unusable',
    what: foreign
      ? 'The API key contains a space, a line break or another invalid character.'
      : 'The API key has no _live_ or _test_ part, which tells its environment.',
    meaning: 'Nothing was changed.',
    hint: 'A key looks like <prefix>_live_… or <prefix>_test_…; copy all of it from the settings of the partner desk.',
  });
}

export interface KeyMask {
  /** The text without the key, or the secret part of it. */
  text: (text: string) => string;
  /** The same JSON value without the key in any of its texts and names. */
  value: (value: unknown) => unknown;
}

export function keyMaskOf(key: ApiKey): KeyMask {
  const { head = '', secret = '' } = SHAPE.exec(key.reveal())?.groups ?? {};
  // A short secret may be in other words too.
  const [before, core] = secret.length < SHORTEST_WITH_TAIL ? ['', head + secret] : [head, secret];
  const small = core.toLowerCase();
  const spelled = once(() => {
    const [optional, needed] = [before, core].map((part) => Array.from(part, spellingsOf).join(UNSEEN));
    return new RegExp(`(?:${optional}${UNSEEN})?${needed}`, 'giu');
  });
  const text = (given: string): string =>
    MAY_ESCAPE.test(given) || given.toLowerCase().includes(small)
      ? given.replace(spelled(), () => key.masked)
      : given;
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (!isFields(given) || Object.getPrototypeOf(given) !== Object.prototype) return given;
    return Object.fromEntries(Object.entries(given).map(([name, inner]) => [text(name), value(inner)]));
  };
  return { text, value };
}

/** Every other text has the key as it is, or not at all: most need no pattern, which takes a while to make. */
const MAY_ESCAPE = /[\\%&]|[^\n\x20-\x7e]/;

/** Few enough that looking for the key takes no time that grows faster than the text. */
const UNSEEN = String.raw`[\u{ad}\u{34f}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}\u{e0000}-\u{e0fff}]{0,8}`;

/** A pattern of the ways in which a character is written. */
function spellingsOf(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const itself = /\w/.test(character) ? character : String.raw`\u{${hex}}`;
  const ways = [
    String.raw`\\{0,8}${itself}`,
    String.raw`\\{1,8}(?:u(?:00${hex}|\{0{0,4}${hex}\})|x${hex})`,
    `%(?:25){0,4}${hex}`,
    `&(?:amp;){0,4}#(?:0{0,5}${code.toString()}|x0{0,4}${hex});?`,
  ];
  return `(?:${ways.join('|')})`;
}
