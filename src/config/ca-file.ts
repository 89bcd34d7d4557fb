/**
 * Which certificate authorities a connection trusts: Node's own, and those that the operator adds in files.
 * There is no way to trust less carefully. Knows no connection.
 */
import { elementAt, elementsIn } from '../domain/der.ts';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { readUserFile } from '../platform/user-file.ts';

/** Room for the whole bundle of a system, several times over. */
const MAX_BYTES = 4_194_304;

export interface TrustSources {
  /** `ca_file` of the profile. */
  profile: string | undefined;
  /** HEDGE_CA_FILE. */
  hedge: string | undefined;
  /** NODE_EXTRA_CA_CERTS: Node reads it only where no list is given, so we read it too. */
  node: string | undefined;
}

/**
 * PEM certificates that are trusted besides Node's own roots, or undefined when those are all there is to
 * trust. Throws DamagedFileError for a file that cannot be read, or holds anything but whole certificates.
 */
export function addedCertificates(sources: TrustSources): readonly string[] | undefined {
  const files = [
    { from: 'ca_file of the profile', path: sources.profile },
    { from: 'HEDGE_CA_FILE', path: sources.hedge },
    { from: 'NODE_EXTRA_CA_CERTS', path: sources.node },
  ];
  const added = files.flatMap(({ from, path }) => (path === undefined ? [] : certificatesIn(path, from)));
  return added.length === 0 ? undefined : [...new Set(added)];
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates of a PEM file; at least one. `from` names the setting for the message. */
function certificatesIn(path: string, from: string): readonly string[] {
  const given = readUserFile(path, { maxBytes: MAX_BYTES });
  if ('why' in given) throw unreadable(path, from, `cannot be read: ${given.why}`);
  const text = given.bytes.toString('latin1');
  const blocks = text.match(BLOCK) ?? [];
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (begun === 0) throw unreadable(path, from, 'holds no certificate in PEM form');
  if (blocks.length !== begun) throw unreadable(path, from, 'holds a certificate that is cut off');
  const broken = blocks.findIndex((block) => !isCertificate(block));
  if (broken !== -1)
    throw unreadable(path, from, `holds a damaged certificate, number ${(broken + 1).toString()}`);
  return blocks;
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;

/**
 * Whether it is whole, and has the three parts of a certificate. OpenSSL would know better, and take as long as
 * a whole answer of the service; what it cannot use vouches for nobody.
 */
function isCertificate(pem: string): boolean {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  const outer = elementAt(bytes, 0);
  if (outer?.tag !== SEQUENCE || outer.end !== bytes.length) return false;
  const [what, how, signature, ...more] = elementsIn(bytes, outer) ?? [];
  return (
    what?.tag === SEQUENCE && how?.tag === SEQUENCE && signature?.tag === BIT_STRING && more.length === 0
  );
}

const unreadable = (path: string, from: string, how: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `The CA file ${quoted(path)} (${from}) ${how}.`,
    book: 'Nothing was changed.',
    hint: `Name a PEM file of the certificate authority to trust, or leave ${from} out.`,
  });
