/** Operands of the practice commands: text to value, or UsageError. */
import type { Big } from 'big.js';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, MAX_WHOLE_DIGITS, parseDecimal, wholeDigits } from './decimals.ts';

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
