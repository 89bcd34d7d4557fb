/** Which certificate authorities are trusted: those given, Node's own, or both. */
import { createHash } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
export interface CaCertificates {
  /** PEM. */
  ca: readonly string[];
  /** Also Node's own list. */
  roots: boolean;
}

/** The `ca` option of a TLS connection; none for Node's list alone. */
export function caOption({ ca, roots }: CaCertificates): { ca?: string[] } {
  if (!roots) return { ca: [...ca] };
  return ca.length === 0 ? {} : { ca: [...new Set([...rootCertificates, ...ca])] };
}

const contexts = new Map<string, SecureContext>();

/** Memoized: Node takes 50 ms to read its own list. */
export function secureContextFor(trust: CaCertificates): SecureContext {
  const name = fingerprintOf(trust);
  const made = contexts.get(name) ?? createSecureContext({ minVersion: 'TLSv1.2', ...caOption(trust) });
  contexts.set(name, made);
  return made;
}

/** Equal exactly for equal lists. */
export function fingerprintOf({ ca, roots }: CaCertificates): string {
  const hash = createHash('sha256');
  for (const pem of ca) hash.update(`${pem}\n`);
  return `${hash.digest('hex')} ${roots ? 'and the roots' : 'alone'}`;
}
