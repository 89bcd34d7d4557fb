/**
 * A request to one of the four acting paths as the action that it is: the body's fields in the service's names
 * (specification §4) become the same intent that a typed line would. Pure.
 */
import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { ActionIntent } from './action-intent.ts';
import { ACTION_OPTIONS } from './action-options.ts';
import type { RawInput } from './raw-input.ts';
import { readAction } from './read-action.ts';

export type ActionName = ActionIntent['action'];

const CHANGE = ['market', 'side', 'notional_usd'] as const;
const REQUIRED: Readonly<Record<ActionName, readonly string[]>> = {
  open: [...CHANGE, 'tenor_days'],
  add: CHANGE,
  reduce: CHANGE,
  close: ['market', 'side'],
};
const OPTIONAL: Readonly<Record<ActionName, readonly string[]>> = {
  open: ['client_reference'],
  add: [],
  reduce: [],
  close: [],
};
const NUMBERS: readonly string[] = ['notional_usd', 'tenor_days'];
/** Options that say the body, or nothing but that there is a default. */
const OF_THE_REQUEST: readonly string[] = ['rawField', 'field', 'data', 'param'];

/** @throws UsageError for an option that this action does not take: a bound that is not kept is none. */
export function checkOptions(raw: RawInput, action: ActionName | undefined): void {
  const taken = action === undefined ? [] : ACTION_OPTIONS[action].map(({ flags }) => nameOf(flags));
  const stray = Object.entries(raw.options).find(
    ([name, value]) =>
      value !== undefined &&
      !OF_THE_REQUEST.includes(name) &&
      !taken.includes(name) &&
      !(name === 'wait' && value === true),
  );
  if (stray === undefined) return;
  const flag = `--${name(stray[0])}`;
  throw new UsageError(
    action === undefined ? `${flag} is for a request that acts.` : `${flag} is no option of ${action}.`,
    action === undefined ? 'Leave it out.' : `See hedge ${action} --help for those that are.`,
  );
}

/** `--worst-price <price>` → `worstPrice`, `--no-wait` → `wait`. */
const nameOf = (flags: string): string =>
  (/--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/g, (_dash, letter: string) =>
    letter.toUpperCase(),
  );

const name = (camel: string): string =>
  camel === 'wait' ? 'no-wait' : camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** @throws UsageError naming the field that is missing, mistyped, or unknown to the action. */
export function actionOfBody(
  action: ActionName,
  body: Readonly<Record<string, unknown>>,
  raw: RawInput,
): ActionIntent {
  const known = [...REQUIRED[action], ...OPTIONAL[action]];
  const strange = Object.keys(body).find((field) => !known.includes(field));
  if (strange !== undefined)
    throw new UsageError(
      `What ${quoted(strange)} does to ${action === 'open' || action === 'add' ? 'an' : 'a'} ${action} is not known here, so nothing is sent.`,
      `Its fields are ${known.join(', ')}.`,
    );
  const text = (field: string): string | undefined => textOf(field, ownField(body, field));
  const missing = REQUIRED[action].find((field) => text(field) === undefined);
  if (missing !== undefined)
    throw new UsageError(
      `The field ${quoted(missing)} is missing.`,
      `The body of ${action === 'open' || action === 'add' ? 'an' : 'a'} ${action} has ${REQUIRED[action].join(', ')}.`,
    );
  const { rawField: _text, field: _typed, data: _data, param: _param, ...options } = raw.options;
  return readAction(action, {
    operands: CHANGE.flatMap((field) => text(field) ?? []),
    options: {
      ...options,
      ...(body['tenor_days'] === undefined ? {} : { tenor: text('tenor_days') }),
      ...(body['client_reference'] === undefined ? {} : { dealId: text('client_reference') }),
    },
  });
}

function textOf(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (NUMBERS.includes(field)) {
    if (value instanceof Big) return value.toFixed();
    throw new UsageError(`The field ${quoted(field)} is not a number.`, `Say it as one: -F ${field}=…`);
  }
  if (typeof value === 'string') return value;
  throw new UsageError(`The field ${quoted(field)} is not text.`, `Say it as text: -f ${field}=…`);
}
