/** Which certificate authorities are trusted, as a value: a list of ours, Node's own, or both. */
import { createHash } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
export interface CaCertificates {
  /** PEM certificates of ours. */
  ca: readonly string[];
  /** Node's own list as well. */
  roots: boolean;
}

/** The `ca` option of a TLS connection: none where Node's own list is all. */
export function caOf({ ca, roots }: CaCertificates): { ca?: string[] } {
  if (!roots) return { ca: [...ca] };
  return ca.length === 0 ? {} : { ca: [...new Set([...rootCertificates, ...ca])] };
}

const contexts = new Map<string, SecureContext>();

/** Verifies by this list, from TLS 1.2 on. Made once: Node reads its own list for a twentieth of a second each time. */
export function contextFor(trust: CaCertificates): SecureContext {
  const name = nameOf(trust);
  const made = contexts.get(name) ?? createSecureContext({ minVersion: 'TLSv1.2', ...caOf(trust) });
  contexts.set(name, made);
  return made;
}

/** The same for the same list, and for no other. Node's own list is that of its version. */
export function nameOf({ ca, roots }: CaCertificates): string {
  const hash = createHash('sha256');
  for (const pem of ca) hash.update(`${pem}\n`);
  return `${hash.digest('hex')} ${roots ? 'and the roots' : 'alone'}`;
}
