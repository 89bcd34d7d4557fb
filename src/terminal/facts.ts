/** What a stream is and can show, from facts handed in: its size and whether it can spell more than ASCII. */
import { fstatSync } from 'node:fs';
import type { Environment } from './colour.ts';

const WIDTH_WHEN_UNKNOWN = 80;

/** Columns of a stream: a terminal's own, else what COLUMNS says of it, else 80. A pipe is always 80. */
export function widthOf(stream: { isTTY: boolean; columns?: number | undefined }, env: Environment): number {
  if (!stream.isTTY) return WIDTH_WHEN_UNKNOWN;
  if (stream.columns !== undefined && stream.columns > 0) return stream.columns;
  const told = env['COLUMNS'] ?? '';
  return /^[1-9]\d{0,3}$/.test(told) ? Number(told) : WIDTH_WHEN_UNKNOWN;
}

const HEIGHT_WHEN_UNKNOWN = 24;

/** Lines of a terminal; 24 of anything else. */
export const heightOf = (stream: { isTTY: boolean; rows?: number | undefined }): number =>
  stream.isTTY && stream.rows !== undefined && stream.rows > 0 ? stream.rows : HEIGHT_WHEN_UNKNOWN;

/** Whether text beyond ASCII can be shown: the locale says UTF-8 and the terminal is not the bare console. */
export function showsUnicode(env: Environment, platform: string): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (platform === 'win32') return true;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  );
  return locale !== undefined && /utf-?8/i.test(locale);
}

/** Whether the system says, without a stream, that this is no terminal: a file, a pipe or a socket. */
export function isNoTerminal(descriptor: number): boolean {
  try {
    return !fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** `value`: that of CI. */
export const isContinuousIntegration = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false' && value !== '0';
