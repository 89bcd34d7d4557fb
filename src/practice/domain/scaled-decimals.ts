/** Exact decimals as scaled integers, and the one place that rounds: half to even. */

/** USD or USDC in millionths. */
export type Micro = bigint;
/** Quote currency per USDT, in units of 1e-8. */
export type Rate = bigint;
/** In units of 1e-8: 0.05 % is 50 000. */
export type Fraction = bigint;

export const MONEY_DECIMALS = 6;
export const RATE_DECIMALS = 8;
export const ONE_RATE: Rate = 100_000_000n;
export const ONE_FRACTION: Fraction = 100_000_000n;
export const ONE_DOLLAR: Micro = 1_000_000n;

/** Symmetric for both signs. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return divideHalfEven(-numerator, -denominator);
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const away = numerator < 0n ? quotient - 1n : quotient + 1n;
  if (twice > denominator) return away;
  if (twice < denominator) return quotient;
  return quotient % 2n === 0n ? quotient : away;
}

export function share(amount: bigint, fraction: Fraction): bigint {
  return divideHalfEven(amount * fraction, ONE_FRACTION);
}

/** Plain decimal text: no exponent, no trailing zeros, no `-0`. */
export function decimalText(value: bigint, places: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const rest = digits.slice(digits.length - places).replace(/0+$/, '');
  return rest === '' ? `${sign}${whole}` : `${sign}${whole}.${rest}`;
}

/**
 * Decimal text (`-12.5`, `1e3`, what `String(number)` gives) as an integer of 10^-places.
 * Undefined if it is not a decimal or has more places.
 */
export function decimalOf(text: string, places: number): bigint | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', rest = '', exponent = '0'] = parts;
  const shift = places - rest.length + Number(exponent);
  const digits = BigInt(whole + rest);
  if (shift < 0) {
    const divisor = 10n ** BigInt(-shift);
    if (digits % divisor !== 0n) return undefined;
    return signed(sign, digits / divisor);
  }
  return signed(sign, digits * 10n ** BigInt(shift));
}

function signed(sign: string, digits: bigint): bigint {
  return sign === '-' ? -digits : digits;
}

export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

export function moneyText(value: Micro): string {
  return decimalText(value, MONEY_DECIMALS);
}

export function rateText(value: Rate): string {
  return decimalText(value, RATE_DECIMALS);
}
