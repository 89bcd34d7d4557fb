/**
 * The variables of the environment that settings come from, read once. The key leaves the environment as it
 * is read, so that neither children nor crash reports inherit it. An empty variable counts as absent.
 */

export interface SettingsEnvironment {
  /** HEDGE_API_KEY, behind a call so that it does not show where this value is printed. */
  apiKey: (() => string) | undefined;
  baseUrl: string | undefined;
  profile: string | undefined;
  /** HEDGE_ACCOUNT: the label of the account. */
  account: string | undefined;
  expectEnv: string | undefined;
  caFile: string | undefined;
  /** NODE_EXTRA_CA_CERTS. */
  extraCaCerts: string | undefined;
  /** None with HEDGE_TLS_SESSIONS=off, nor where Node may trust other authorities than its own at the next start. */
  keepsTlsSessions: boolean;
  /** HTTPS_PROXY and NO_PROXY, in capitals or not; a password may be in the first. */
  proxy: { https: string | undefined; no: string | undefined };
}

/** Node's options, and variables, that make it trust authorities which change without its version. */
const OTHER_AUTHORITIES =
  /--use[-_](?:openssl|system)[-_]ca|--experimental[-_](?:default[-_])?config[-_]file/;
const AUTHORITY_VARIABLES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_USE_SYSTEM_CA'];

/** Deletes HEDGE_API_KEY from `env`. `nodeOptions`: what Node itself was started with. */
export function takeEnvironment(
  env: Record<string, string | undefined>,
  nodeOptions: readonly string[] = [],
): SettingsEnvironment {
  const present = (name: string): string | undefined => {
    const value = env[name];
    return value === '' ? undefined : value;
  };
  const key = present('HEDGE_API_KEY');
  delete env['HEDGE_API_KEY'];
  return {
    apiKey: key === undefined ? undefined : () => key,
    baseUrl: present('HEDGE_BASE_URL'),
    profile: present('HEDGE_PROFILE'),
    account: present('HEDGE_ACCOUNT'),
    expectEnv: present('HEDGE_EXPECT_ENV'),
    caFile: present('HEDGE_CA_FILE'),
    extraCaCerts: present('NODE_EXTRA_CA_CERTS'),
    keepsTlsSessions:
      present('HEDGE_TLS_SESSIONS') !== 'off' &&
      AUTHORITY_VARIABLES.every((name) => present(name) === undefined) &&
      ![env['NODE_OPTIONS'] ?? '', ...nodeOptions].some((each) => OTHER_AUTHORITIES.test(each)),
    proxy: { https: env['HTTPS_PROXY'] ?? env['https_proxy'], no: env['NO_PROXY'] ?? env['no_proxy'] },
  };
}
