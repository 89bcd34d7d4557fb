/** Operands of the practice commands: text to value, or UsageError. */
import type { Big } from 'big.js';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, MAX_WHOLE_DIGITS, parseDecimal, wholeDigits } from './operands.ts';

const USDC_DECIMALS = 6;
const MAX_PORT = 65_535;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** Opening balance of a practice book in USDC, zero allowed. */
export function readBalance(text: string): Big {
  const value = parseDecimal(text);
  if (value === undefined || !hasDecimals(value, USDC_DECIMALS) || wholeDigits(value) > MAX_WHOLE_DIGITS) {
    throw new UsageError(
      `${quoted(text)} is not a balance (--balance).`,
      'Write it in USDC, with six decimals at most: --balance 100000',
    );
  }
  return value;
}

/** A TCP port, 1 to 65535. */
export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > MAX_PORT)
    throw new UsageError(`${quoted(text)} is not a port (--port).`, 'A port is a number from 1 to 65535.');
  return port;
}

/** The practice service never listens where another machine could reach it. */
export function readLoopbackHost(text: string): string {
  if (!LOOPBACK.test(text)) {
    throw new UsageError(
      `${quoted(text)} is not an address of this machine alone (--host).`,
      'The practice service listens on a loopback address: 127.0.0.1, ::1 or localhost.',
    );
  }
  return text;
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
const DURATION = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?$/i;

/** A length of time in milliseconds: `3d`, `12h`, `90m`, `30s`, or several largest first: `1d12h`. */
export function readDuration(text: string): number {
  const parts = DURATION.exec(text);
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts ?? [];
  const ms =
    Number(days) * UNIT_MS.d +
    Number(hours) * UNIT_MS.h +
    Number(minutes) * UNIT_MS.m +
    Number(seconds) * UNIT_MS.s;
  if (parts === null || ms === 0)
    throw new UsageError(
      `${quoted(text)} is not a length of time.`,
      'Write it as 3d, 12h, 90m, 30s or 1d12h.',
    );
  return ms;
}
