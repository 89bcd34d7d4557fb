/**
 * Makes the certificates of the service: an authority that clients trust and a server certificate for loopback.
 * The authority's private key is never kept, so nothing else can ever be signed with it.
 */
import { webcrypto } from 'node:crypto';

export interface Certificates {
  authorityPem: string;
  certificatePem: string;
  privateKeyPem: string;
  /** Wall time, ms. */
  until: number;
}

const DAY = 86_400_000;
const LIFETIME = 3_650 * DAY;
/** 2020-01-01: clients check with their own clock, which may be behind. */
const VALID_FROM = 1_577_836_800_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** `serials`: 32 random bytes, sixteen for each certificate. */
export async function makeCertificates(wallNow: number, serials: Uint8Array): Promise<Certificates> {
  // Costly to load and seldom needed: only a start without a valid certificate comes here.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  const notBefore = new Date(VALID_FROM);
  const until = wallNow + LIFETIME;
  const notAfter = new Date(until);
  const usages: KeyUsage[] = ['sign', 'verify'];
  const authorityKeys = await webcrypto.subtle.generateKey(ALGORITHM, false, usages);
  const serverKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, usages);
  const authorityId = await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=hedge practice authority',
    serialNumber: serialOf(serials.subarray(0, 16)),
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      authorityId,
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=hedge practice service',
    issuer: authority.subject,
    serialNumber: serialOf(serials.subarray(16, 32)),
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
    ],
  });
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return {
    authorityPem: `${authority.toString('pem')}\n`,
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem: x509.PemConverter.encode(privateKey, 'PRIVATE KEY'),
    until,
  };
}

type KeyUsage = 'sign' | 'verify';

/** Positive and without a leading zero byte, as the standard asks. */
function serialOf(bytes: Uint8Array): string {
  const serial = Buffer.from(bytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString('hex');
}
