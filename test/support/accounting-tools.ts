/** hledger and beancount as referees: whether they accept a file, and the balances that they come to, with every digit. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Balances = Readonly<Record<string, string>>;

function run(program: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}

function withFile<T>(name: string, text: string, work: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-books-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, text);
    return work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `-1,234.500000 USDC` as `-1234.5`. */
const plain = (amount: string): string =>
  amount
    .replace(/ USDC$/, '')
    .replaceAll(',', '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

/** @throws where hledger finds anything, the assertions of balances included. */
export const hledgerBalances = (text: string): Balances =>
  withFile('books.journal', text, (path) => {
    run('hledger', ['-f', path, 'check', '--strict']);
    const lines = run('hledger', ['-f', path, 'balance', '--flat', '--no-total', '--empty', '-O', 'csv'])
      .trim()
      .split('\n')
      .slice(1);
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', amount = ''] = /^"(.*)","(.*)"$/.exec(line) ?? [];
        return [name, plain(amount)];
      }),
    );
  });

/** @throws where beancount finds anything. */
export const beancountBalances = (text: string): Balances =>
  withFile('books.beancount', text, (path) => {
    run('bean-check', [path]);
    const lines = run('bean-query', ['-f', 'csv', path, 'SELECT account, sum(position) GROUP BY account'])
      .trim()
      .split('\n')
      .slice(1);
    return Object.fromEntries(
      lines.map((line) => {
        const [name = '', amount = ''] = line.split(',').map((cell) => cell.trim());
        return [name, amount === '' ? '0' : plain(amount)];
      }),
    );
  });
