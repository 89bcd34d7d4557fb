/**
 * The API key: the one secret of the program. Whatever prints, logs or serialises it gets the mask; only
 * `reveal()` gives the text. Where keys come from and where they are stored is known to settings alone.
 */
import { createHash } from 'node:crypto';
import { CredentialError } from '../errors.ts';

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

  /** What `util.inspect` and console.log show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `ApiKey(${this.masked})`;
  }
}

function unusable(text: string): CredentialError {
  const foreign = /[^\x21-\x7e]/.test(text);
  return new CredentialError({
    code: 'credential_unusable',
    what: foreign
      ? 'The API key has a space, a line break or another character that a key never has.'
      : 'The API key has no _live_ or _test_ part, so it does not say which environment it is for.',
    book: 'Nothing was changed.',
    hint: 'A key looks like <prefix>_live_… or <prefix>_test_…; copy it whole from the settings of the partner desk.',
  });
}
