/** Other programs that an operator might use for the same quote. */
import { execFileSync } from 'node:child_process';
import { bareEnvironment } from './paired.mjs';

/** What it prints; undefined when it fails. */
export const succeeds = (command, args) => {
  try {
    return execFileSync(command, args, { env: bareEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
};

/** Other programs that are installed here, asking for the same quote. */
export function companions(env) {
  const url = `${env.HEDGE_BASE_URL}/quotes`;
  const body = JSON.stringify({ market: 'USDTNGN', side: 'buy', notional_usd: 10_000, tenor_days: 3 });
  const authorization = `Authorization: Bearer ${env.HEDGE_API_KEY}`;
  const found = [];
  if (succeeds('curl', ['--version']) !== undefined) {
    const headers = ['-H', authorization, '-H', 'Content-Type: application/json'];
    const args = ['--silent', '--fail', '--cacert', env.HEDGE_CA_FILE, ...headers, '--data', body, url];
    found.push({ name: 'curl, the same quote', command: 'curl', args });
  }
  const python = succeeds('python3', ['-c', 'import sys; print(sys.executable)']);
  if (python !== undefined) {
    const program = [
      'import ssl, urllib.request, sys',
      'url, ca, key, body = sys.argv[1:]',
      'headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}',
      'request = urllib.request.Request(url, data=body.encode(), headers=headers)',
      'print(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=ca)).read().decode())',
    ].join('\n');
    const args = ['-c', program, url, env.HEDGE_CA_FILE, env.HEDGE_API_KEY, body];
    found.push({ name: 'python3 urllib, the same quote', command: python, args });
  }
  if (succeeds('gh', ['--version']) !== undefined) {
    found.push({ name: 'gh --version', command: 'gh', args: ['--version'] });
  }
  return found;
}
