/**
 * Reads the CA certificates that the operator adds to Node's own list. Verification cannot be turned off. Another user
 * who could change one of these files could have the key: the rules of key files hold for them.
 */
import { type Stats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { elementAt, elementsIn } from '../domain/der.ts';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError, unless } from '../errors.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import type { Host } from '../platform/host.ts';
import { whyForeign } from '../platform/parent-folders.ts';

const MAX_BYTES = 4_194_304;

export interface TrustSources {
  /** `ca_file` of the profile. */
  profile: string | undefined;
  /** HEDGE_CA_FILE. */
  hedge: string | undefined;
  /** NODE_EXTRA_CA_CERTS: Node ignores it where a list is given, so it is read here too. */
  node: string | undefined;
  /** SSL_CERT_FILE and SSL_CERT_DIR, where Node reads them itself. */
  system: readonly string[];
}

/**
 * PEM certificates to trust in addition to Node's; undefined without any.
 * @throws DamagedFileError also for a file or folder that another user could change.
 */
export function addedCertificates(
  sources: TrustSources,
  host: Pick<Host, 'uid'>,
): readonly string[] | undefined {
  const files = [
    { from: 'ca_file of the profile', path: sources.profile },
    { from: 'HEDGE_CA_FILE', path: sources.hedge },
    { from: 'NODE_EXTRA_CA_CERTS', path: sources.node },
  ];
  for (const path of sources.system) {
    const stats = statOf(path);
    const why = stats && whyNotTrusted(path, host, stats);
    if (why !== undefined) throw unusable(path, 'SSL_CERT_FILE or SSL_CERT_DIR', `cannot be used: ${why}`);
  }
  const added = files.flatMap(({ from, path }) =>
    path === undefined ? [] : certificatesIn(path, from, host),
  );
  return added.length === 0 ? undefined : [...new Set(added)];
}

const whyNotTrusted = (path: string, host: Pick<Host, 'uid'>, stats: Stats): string | undefined =>
  isAbsolute(path) ? whyForeign(path, stats, host) : 'its path is relative';

/** Undefined where Node cannot read it either. */
const statOf = (path: string): Stats | undefined => unless(Error, () => statSync(path));

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates of a PEM file; at least one. `from` names the setting for the message. */
function certificatesIn(path: string, from: string, host: Pick<Host, 'uid'>): readonly string[] {
  const given = readUserFile(path, {
    maxBytes: MAX_BYTES,
    objection: (stats) => whyNotTrusted(path, host, stats),
  });
  if ('why' in given) throw unusable(path, from, `cannot be used: ${given.why}`);
  const text = given.bytes.toString('latin1');
  const blocks = text.match(BLOCK) ?? [];
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (begun === 0) throw unusable(path, from, 'contains no PEM certificate');
  if (blocks.length !== begun) throw unusable(path, from, 'contains an incomplete certificate');
  const broken = blocks.findIndex((block) => !isCertificate(block));
  if (broken !== -1)
    throw unusable(path, from, `contains a damaged certificate, number ${(broken + 1).toString()}`);
  return blocks;
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;

/** Checks the outline only: OpenSSL would take as long as a response of the service, and ignores an unusable one. */
function isCertificate(pem: string): boolean {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  const outer = elementAt(bytes, 0);
  if (outer?.tag !== SEQUENCE || outer.end !== bytes.length) return false;
  const [what, how, signature, ...more] = elementsIn(bytes, outer) ?? [];
  return (
    what?.tag === SEQUENCE && how?.tag === SEQUENCE && signature?.tag === BIT_STRING && more.length === 0
  );
}

const unusable = (path: string, from: string, how: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `The CA file ${quoted(path)} (${from}) ${how}.`,
    meaning: 'Nothing was changed.',
    hint: `Give the full path of a PEM file that only you or root can write, or remove ${from}.`,
  });
