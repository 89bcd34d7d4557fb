/** The API keys and TLS certificates of the service. */
import { webcrypto } from 'node:crypto';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedRecordError, type PracticeClock, type PracticeRandom } from '../domain/practice-types.ts';
import { newToken } from '../domain/random-ids.ts';
import { type Database, integerColumnOrNull, textColumn, textColumnOrNull } from './database.ts';
import { fileFailure } from './open-store.ts';

export interface ServiceIdentity {
  keys: { live: string; test: string };
  authorityPem: string;
  certificatePem: string;
  privateKeyPem: string;
  caFile: string;
}

export interface ServiceIdentityOptions {
  store: string;
  clock: PracticeClock;
  random: PracticeRandom;
  /** For a store without any. Default: `makeCertificates`. */
  certificates?: typeof makeCertificates;
}

/** A certificate is renewed when it has less than this left. */
const RENEWAL = 30 * 86_400_000;

export async function ensureIdentity(
  db: Database,
  options: ServiceIdentityOptions,
): Promise<ServiceIdentity> {
  const wallNow = options.clock.now();
  let found = readIdentity(db, wallNow);
  if (found === undefined) {
    const make = options.certificates ?? makeCertificates;
    const made = await make(wallNow, options.random.bytes(32));
    db.transaction(() => {
      // Another process may have stored one first; that one is used.
      if (readIdentity(db, wallNow) !== undefined) return;
      db.run(
        'UPDATE service SET authority_pem = ?, certificate_pem = ?, private_key_pem = ?, wall_certificate_until = ?',
        made.authorityPem,
        made.certificatePem,
        made.privateKeyPem,
        made.until,
      );
    });
    found = readIdentity(db, wallNow);
  }
  if (found === undefined) throw new Error('The practice service has no certificate after making one.');
  const caFile = join(options.store, 'ca.pem');
  await writeIfChanged(caFile, found.authorityPem, options.random);
  return { ...found, caFile };
}

export function readServiceKeys(db: Database): { live: string; test: string } {
  const row = db.get('SELECT live_key, test_key FROM service');
  if (row === undefined) throw new DamagedRecordError('no keys');
  return { live: textColumn(row, 'live_key'), test: textColumn(row, 'test_key') };
}

function readIdentity(db: Database, wallNow: number): Omit<ServiceIdentity, 'caFile'> | undefined {
  const row = db.get(
    'SELECT authority_pem, certificate_pem, private_key_pem, wall_certificate_until FROM service',
  );
  if (row === undefined) return undefined;
  const until = integerColumnOrNull(row, 'wall_certificate_until');
  const authorityPem = textColumnOrNull(row, 'authority_pem');
  const certificatePem = textColumnOrNull(row, 'certificate_pem');
  const privateKeyPem = textColumnOrNull(row, 'private_key_pem');
  if (until === null || authorityPem === null || certificatePem === null || privateKeyPem === null)
    return undefined;
  if (until - wallNow < RENEWAL) return undefined;
  return { keys: readServiceKeys(db), authorityPem, certificatePem, privateKeyPem };
}

/** Written to a draft and renamed. */
async function writeIfChanged(path: string, content: string, random: PracticeRandom): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === content) return;
  const draft = `${path}.${newToken(random)}.new`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw fileFailure(path, `${path} cannot be written.`, error);
  }
}

export interface Certificates {
  authorityPem: string;
  certificatePem: string;
  privateKeyPem: string;
  until: number;
}

const DAY = 86_400_000;
const LIFETIME = 3_650 * DAY;
/** 2020-01-01: the clock of a client may be behind. */
const VALID_FROM = 1_577_836_800_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Two certificates, a CA and one for loopback. The CA's private key is not kept, so nothing else can be signed with it. */
export async function makeCertificates(wallNow: number, serials: Uint8Array): Promise<Certificates> {
  // Slow to load, and needed only without a valid certificate.
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
      new x509.Extension(NAME_CONSTRAINTS, true, loopbackAlone()),
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

const NAME_CONSTRAINTS = '2.5.29.30';

/** One element of DER whose content is shorter than 128 bytes. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

/** RFC 5280, 4.2.1.10: a client that trusts the CA trusts it for loopback alone. */
function loopbackAlone(): Buffer {
  const [sequence, permitted, dnsName, ipAddress] = [0x30, 0xa0, 0x82, 0x87];
  const oneAddress = (address: readonly number[]): Buffer =>
    der(ipAddress, Buffer.from(address), Buffer.alloc(address.length, 0xff));
  const names = [
    der(dnsName, Buffer.from('localhost')),
    oneAddress([127, 0, 0, 1]),
    oneAddress([...Array<number>(15).fill(0), 1]),
  ];
  return der(sequence, der(permitted, ...names.map((name) => der(sequence, name))));
}

type KeyUsage = 'sign' | 'verify';

/** Positive and without a leading zero byte, as X.509 requires. */
function serialOf(bytes: Uint8Array): string {
  const serial = Buffer.from(bytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString('hex');
}
