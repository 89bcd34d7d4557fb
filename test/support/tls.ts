/**
 * Certificates made at test time: an authority and what it issues, good and bad. Validity is judged against
 * the machine's real clock, as TLS does.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it is imported for its effect, before x509
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface Issued {
  /** PEM. */
  key: string;
  cert: string;
}

export interface IssueOptions {
  /** Names and addresses the certificate is for. */
  hosts?: readonly string[];
  from?: Date;
  until?: Date;
}

export interface Authority {
  /** PEM of the authority's own certificate. */
  ca: string;
  issue(options?: IssueOptions): Promise<Issued>;
  /** An authority under this one, whose certificate comes with what it issues. */
  intermediate(until: Date): Promise<Pick<Authority, 'issue'>>;
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const MARGIN_DAYS = 2;

/** An instant so many days from now; negative is the past. */
export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

const AUTHORITY = [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
];

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** A new authority that nobody trusts yet. */
export async function anAuthority(name = 'Test authority', until = inDays(1000)): Promise<Authority> {
  cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    notBefore: inDays(-1000),
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    extensions: AUTHORITY,
  });
  const issueUnder =
    (issuer: string, signingKey: webcrypto.CryptoKey, chain: readonly string[]): Authority['issue'] =>
    async ({
      hosts = LOOPBACK_HOSTS,
      from = inDays(-MARGIN_DAYS),
      until: end = inDays(MARGIN_DAYS),
    } = {}) => {
      const own = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${hosts[0] ?? 'nobody'}`,
        issuer,
        notBefore: from,
        notAfter: end,
        signingKey,
        publicKey: own.publicKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new SubjectAlternativeNameExtension(
            hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
          ),
        ],
      });
      const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', own.privateKey);
      const certificates = [certificate.toString('pem'), ...chain];
      return { key: PemConverter.encode(pkcs8, 'PRIVATE KEY'), cert: certificates.join('\n') };
    };
  return {
    ca: root.toString('pem'),
    issue: issueUnder(root.subject, keys.privateKey, []),
    async intermediate(end) {
      const own = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${name} below`,
        issuer: root.subject,
        notBefore: inDays(-1000),
        notAfter: end,
        signingKey: keys.privateKey,
        publicKey: own.publicKey,
        signingAlgorithm: ALGORITHM,
        extensions: AUTHORITY,
      });
      return { issue: issueUnder(certificate.subject, own.privateKey, [certificate.toString('pem')]) };
    },
  };
}

let shared: Promise<Authority & Issued> | undefined;

/** One authority and one good loopback certificate for the whole test process. */
export function loopbackTls(): Promise<Authority & Issued> {
  shared ??= anAuthority().then(async (authority) => ({ ...authority, ...(await authority.issue()) }));
  return shared;
}
