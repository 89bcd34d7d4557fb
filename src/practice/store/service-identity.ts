/** The API keys and TLS certificates of the service. */
import { webcrypto } from 'node:crypto';
import { chmod, mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DamagedRecordError, type PracticeClock, type PracticeRandom } from '../domain/practice-types.ts';
import { newToken } from '../domain/random-ids.ts';
import { type Database, integerColumnOrNull, textColumn, textColumnOrNull } from './database.ts';
import { namedFileError } from './named-file.ts';
import { fileFailure } from './open-store.ts';

export interface ServerIdentity {
  certificatePem: string;
  privateKeyPem: string;
}

/** A CA, and a certificate that it issued. */
export interface Certificates extends ServerIdentity {
  authorityPem: string;
  until: number;
}

export interface IdentityOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  /** Makes the certificates. Default: `makeCertificates`. */
  certificates?: typeof makeCertificates;
}

/** A certificate is renewed when it has less than this left. */
const RENEWAL = 30 * 86_400_000;

/** The stored certificates, made when there are none that are valid. */
export async function storedIdentity(db: Database, options: IdentityOptions): Promise<Certificates> {
  const wallNow = options.clock.now();
  const found = readIdentity(db, wallNow);
  if (found !== undefined) return found;
  const made = await newIdentity(options);
  return db.transaction(() => {
    // Another process may have stored one first; that one is used.
    const other = readIdentity(db, wallNow);
    if (other !== undefined) return other;
    db.run(
      'UPDATE service SET authority_pem = ?, certificate_pem = ?, private_key_pem = ?, wall_certificate_until = ?',
      made.authorityPem,
      made.certificatePem,
      made.privateKeyPem,
      made.until,
    );
    return made;
  });
}

export function newIdentity({
  certificates: make = makeCertificates,
  clock,
  random,
}: IdentityOptions): Promise<Certificates> {
  return make(clock.now(), random.bytes(32));
}

/** The CA certificate as a file for clients. */
export interface AuthorityFile {
  path: string;
  remove(): Promise<void>;
}

const keptFile = (path: string): AuthorityFile => ({ path, remove: () => Promise.resolve() });

/** In the store, for this user alone. */
export async function storeAuthority(
  store: string,
  pem: string,
  random: PracticeRandom,
): Promise<AuthorityFile> {
  const path = join(store, 'ca.pem');
  if ((await readFile(path, 'utf8').catch(() => undefined)) === pem) return keptFile(path);
  await replaceFile(path, pem, { random, mode: 0o600 }).catch((error: unknown) => {
    throw fileFailure(path, `${path} cannot be written.`, error);
  });
  return keptFile(path);
}

const FOR_ALL = 0o644;

/** Writes the file that the user names, readable for every user: a program under another user has to trust it. */
export async function writeAuthority(
  named: string,
  pem: string,
  random: PracticeRandom,
): Promise<AuthorityFile> {
  const path = resolve(named);
  await replaceFile(path, pem, { random, mode: FOR_ALL }).catch((error: unknown) => {
    throw namedFileError('ca_file', { kind: 'CA file', path, error });
  });
  return keptFile(path);
}

/** In a folder that is removed with it. */
export async function temporaryAuthority(pem: string): Promise<AuthorityFile> {
  const folder = await mkdtemp(join(tmpdir(), 'hedge-practice-')).catch((error: unknown) => {
    throw namedFileError('ca_file', { kind: 'CA file', path: join(tmpdir(), 'ca.pem'), error });
  });
  const path = join(folder, 'ca.pem');
  await chmod(folder, 0o755);
  await writeFile(path, pem, { mode: FOR_ALL });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Written to a draft and renamed; the umask does not apply. */
async function replaceFile(
  path: string,
  content: string,
  { random, mode }: { random: PracticeRandom; mode: number },
): Promise<void> {
  const draft = `${path}.${newToken(random)}.new`;
  try {
    await writeFile(draft, content, { mode, flag: 'wx' });
    await chmod(draft, mode);
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

export function readServiceKeys(db: Database): { live: string; test: string } {
  const row = db.get('SELECT live_key, test_key FROM service');
  if (row === undefined) throw new DamagedRecordError('no keys');
  return { live: textColumn(row, 'live_key'), test: textColumn(row, 'test_key') };
}

function readIdentity(db: Database, wallNow: number): Certificates | undefined {
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
  // One that was made while the clock was far ahead is not valid yet.
  if (until - wallNow < RENEWAL || until - wallNow > LONGEST) return undefined;
  return { authorityPem, certificatePem, privateKeyPem, until };
}

const DAY = 86_400_000;
/** Some systems accept no certificate of a server for longer. */
const LONGEST = 825 * DAY;
/** The clock of a client may be behind. */
const VALID_BEFORE = 400 * DAY;
const VALID_AFTER = LONGEST - VALID_BEFORE - DAY;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Two certificates, a CA and one for loopback. The CA's private key is not kept, so nothing else can be signed with it. */
export async function makeCertificates(wallNow: number, serials: Uint8Array): Promise<Certificates> {
  // Slow to load, and needed only without a valid certificate.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  const notBefore = new Date(wallNow - VALID_BEFORE);
  const until = wallNow + VALID_AFTER;
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
