/**
 * Who the service is: its two keys and its certificate, kept in the database; the authority's PEM is also
 * written beside it as a file for clients. Refuses to know how a certificate is made.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PracticeClock, PracticeRandom } from '../door.ts';
import { holder } from '../ids.ts';
import { makeCertificates } from './certificate.ts';
import { type Database, text, textOrNull, wholeOrNull } from './database.ts';

export interface Identity {
  keys: { live: string; test: string };
  authorityPem: string;
  certificatePem: string;
  privateKeyPem: string;
  caFile: string;
}

export interface IdentityOptions {
  store: string;
  clock: PracticeClock;
  random: PracticeRandom;
}

/** A certificate is made anew when it has less than this left. */
const RENEWAL = 30 * 86_400_000;

export async function identityOf(db: Database, options: IdentityOptions): Promise<Identity> {
  const wallNow = options.clock.now();
  let found = read(db, wallNow);
  if (found === undefined) {
    const made = await makeCertificates(wallNow, options.random.bytes(32));
    db.immediate(() => {
      // Another process may have been quicker: the first one's certificate stands.
      if (read(db, wallNow) !== undefined) return;
      db.run(
        'UPDATE service SET authority_pem = ?, certificate_pem = ?, private_key_pem = ?, wall_certificate_until = ?',
        made.authorityPem,
        made.certificatePem,
        made.privateKeyPem,
        made.until,
      );
    });
    found = read(db, wallNow);
  }
  if (found === undefined) throw new Error('The practice service has no certificate after making one.');
  const caFile = join(options.store, 'ca.pem');
  await keepFile(caFile, found.authorityPem, options.random);
  return { ...found, caFile };
}

export function keysOf(db: Database): { live: string; test: string } {
  const row = db.get('SELECT live_key, test_key FROM service');
  if (row === undefined) throw new TypeError('The practice book holds no keys.');
  return { live: text(row, 'live_key'), test: text(row, 'test_key') };
}

function read(db: Database, wallNow: number): Omit<Identity, 'caFile'> | undefined {
  const row = db.get(
    'SELECT authority_pem, certificate_pem, private_key_pem, wall_certificate_until FROM service',
  );
  if (row === undefined) return undefined;
  const until = wholeOrNull(row, 'wall_certificate_until');
  const authorityPem = textOrNull(row, 'authority_pem');
  const certificatePem = textOrNull(row, 'certificate_pem');
  const privateKeyPem = textOrNull(row, 'private_key_pem');
  if (until === null || authorityPem === null || certificatePem === null || privateKeyPem === null)
    return undefined;
  if (until - wallNow < RENEWAL) return undefined;
  return { keys: keysOf(db), authorityPem, certificatePem, privateKeyPem };
}

/** Written whole and moved into place; left alone when it already says the same. */
async function keepFile(path: string, content: string, random: PracticeRandom): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === content) return;
  const draft = `${path}.${holder(random)}.new`;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}
