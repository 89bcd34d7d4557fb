/** Services that send the specified fields alone, or name the others otherwise. */
import { specifiedOnly } from './deals-desk.ts';
import type { Passed } from './front.ts';

export type Rewritten = (line: string, answer: Passed) => Passed;
type SentFields = Readonly<Record<string, unknown>>;

/** Each record of an answer with the names or values that the specification leaves open changed. */
const rewritten =
  (change: (kind: 'position' | 'account' | 'closed', sent: SentFields) => SentFields): Rewritten =>
  (line, answer) => {
    const kind = line.startsWith('GET /positions')
      ? 'position'
      : line.startsWith('GET /account')
        ? 'account'
        : line.startsWith('GET /hedges/history')
          ? 'closed'
          : undefined;
    if (kind === undefined || answer.status >= 300) return answer;
    const document = JSON.parse(answer.body);
    document.data = Array.isArray(document.data)
      ? document.data.map((each: SentFields) => change(kind, each))
      : change(kind, document.data);
    return { ...answer, body: JSON.stringify(document) };
  };

const SPECIFIED = ['net_margin_usd', 'balance_usdc', 'available_exposure_usd'];
const isSpecified = (kind: string, name: string): boolean =>
  SPECIFIED.includes(name) || (kind === 'closed' && name === 'net_pnl_usd');

/** `size` for `notional_usd`: no name that hedge knows is left. */
const otherNames = rewritten((kind, sent) =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [isSpecified(kind, name) ? name : `x_${name}`, value]),
  ),
);

/** The known names with values of another kind: `LONG` for `buy`, text for money, nothing, objects. */
export const otherValues = rewritten((kind, sent) =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      if (isSpecified(kind, name)) return [name, value];
      if (name === 'side') return [name, value === 'buy' ? 'LONG' : 'SHORT'];
      if (typeof value === 'number') return [name, name.startsWith('n') ? { amount: value } : null];
      return [name, value];
    }),
  ),
);

/** Closed hedges too. */
const specifiedAlone: Rewritten = (line, answer) =>
  rewritten((kind, sent) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => isSpecified(kind, name))),
  )(line, specifiedOnly(line, answer));

export const SPARSE_SERVICES: readonly (readonly [string, Rewritten])[] = [
  ['that sends the specified fields alone', specifiedAlone],
  ['that names its unspecified fields otherwise', otherNames],
  ['that has other values in its unspecified fields', otherValues],
];
