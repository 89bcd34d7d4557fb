/**
 * What a batch has to say where nobody is there to be asked: what holds for all of it once, behind `hedge batch`,
 * and what only a line can say in each line. Reads nothing.
 */
import { UsageError } from '../../errors.ts';
import {
  type Attendance,
  inWays,
  inWords,
  type Missing,
  missingToResend,
  missingUnattended,
  nobodyToAsk,
  ON_THE_LINE,
  type Ways,
} from '../../flow/guard/guard-attendance.ts';
import type { Line } from './read-lines.ts';
import { listed, type WrongLine } from './wrong-lines.ts';

/** The same for a line that is a JSON object. A key is never missing: the batch gives each line one. */
const IN_THE_OBJECT: Ways = { ...ON_THE_LINE, price: '"worst_price":"PRICE"' };

/** @throws UsageError that says all of it; nothing has run. */
export function checkLines(lines: readonly Line[], where: Attendance): void {
  const found = lines.map((line) => ({ line, missing: missingFrom(line, where) }));
  const ofAll = (['yes', 'promise'] as const).filter((each) =>
    found.some(({ missing }) => missing.includes(each)),
  );
  const wrong = found.flatMap(({ line, missing }) => wrongLine(line, missing.filter(isOfALine)));
  if (ofAll.length === 0 && wrong.length === 0) return;
  const { words, details } = listed(wrong);
  throw new UsageError(
    `${nobodyToAsk(where)}: none of the batch has run and nothing was sent.`,
    [...(ofAll.length === 0 ? [] : [`Add behind hedge batch: ${inWays(ofAll, ON_THE_LINE)}`]), ...words].join(
      '\n',
    ),
    {
      ...(ofAll.length === 0 ? {} : { batch: ofAll.map((each) => ON_THE_LINE[each]) }),
      ...details,
    },
  );
}

function missingFrom({ intent, resumes }: Line, where: Attendance): readonly Missing[] {
  if (intent !== undefined) return missingUnattended(intent, where);
  return resumes === undefined ? [] : missingToResend(resumes, where);
}

const isOfALine = (missing: Missing): boolean => missing !== 'yes' && missing !== 'promise';

function wrongLine({ number, isObject }: Line, missing: readonly Missing[]): readonly WrongLine[] {
  if (missing.length === 0) return [];
  const add = isObject
    ? `Add to the object: ${inWays(missing, IN_THE_OBJECT)}`
    : `Add to the line: ${inWays(missing, ON_THE_LINE)}`;
  return [{ number, error: new UsageError(`${inWords(missing)}.`, add) }];
}
