/** Why the other side of a TLS connection was not believed, in plain words, and what mends it. */
import { ownField } from '../../domain/fields.ts';

export interface TlsReason {
  /** Half a sentence about the host: `its certificate has expired`. */
  says: string;
  mend: string;
}

const NAME_THE_CA =
  'If this service or a proxy on the way signs with its own authority, name that as ca_file in the profile or in HEDGE_CA_FILE.';
const CHECK_THE_CLOCK =
  "Check this machine's date and time; if they are right, the host needs a new certificate.";

const UNKNOWN_AUTHORITY: TlsReason = {
  says: 'its certificate comes from an unknown authority',
  mend: NAME_THE_CA,
};

const REASONS: Readonly<Record<string, TlsReason>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'its certificate is for another host',
    mend: 'Check the host of the base address: something else answers there.',
  },
  CERT_HAS_EXPIRED: { says: 'its certificate has expired', mend: CHECK_THE_CLOCK },
  CERT_NOT_YET_VALID: { says: 'its certificate is not yet valid', mend: CHECK_THE_CLOCK },
  CERT_REVOKED: {
    says: 'its certificate was revoked',
    mend: 'Do not deal there before the partner has explained it.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    says: 'it does not speak HTTPS on this port',
    mend: 'Check the port of the base address.',
  },
};

/** Certificate verification codes of OpenSSL that have no entry of their own. */
const CERTIFICATE_CODE =
  /^(CERT|CRL|UNABLE_TO|SELF_SIGNED|INVALID_|ERROR_IN_CERT|HOSTNAME_|PATH_LENGTH|EE_KEY)/;
const HANDSHAKE_CODE = /^(EPROTO$|ERR_SSL_|ERR_TLS_)/;

/** The reason behind an error code of a TLS handshake, or undefined when the code is not one of TLS. */
export function tlsReason(code: string | undefined): TlsReason | undefined {
  if (code === undefined) return undefined;
  const known = ownField(REASONS, code);
  if (known !== undefined) return known;
  if (CERTIFICATE_CODE.test(code)) {
    return { says: `its certificate is not acceptable (${code})`, mend: NAME_THE_CA };
  }
  return HANDSHAKE_CODE.test(code)
    ? { says: `the TLS handshake failed (${code})`, mend: 'Check the host and port of the base address.' }
    : undefined;
}
