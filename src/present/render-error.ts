/** An error as a person reads it: what happened, what it means for the book, what to do next. */
import { type Effect, type HedgeError, OWN_CODES, RefusedError } from '../errors.ts';
import { type Block, line, message } from './blocks.ts';
import { hintBlocks, hintFor } from './hint.ts';
import { type HumanView, renderHuman } from './render-human.ts';

/** Lines for standard error. A code of the service stands in brackets behind what happened. */
export function renderErrorHuman(error: HedgeError, view: HumanView, named?: string): string {
  const blocks: Block[] = [line(message(withCode(error), 'bad'))];
  const book = error.book ?? BOOK_UNSAID[error.effect];
  if (book !== undefined) blocks.push(line(message(book)));
  const hint = hintFor(error, named);
  if (hint !== undefined) blocks.push(...hintBlocks(hint));
  return renderHuman(blocks, view);
}

/** Said when an error that did or may have done something does not say what. */
const BOOK_UNSAID: Readonly<Record<Effect, string | undefined>> = {
  none: undefined,
  pending: 'It was accepted and is not finished yet.',
  unknown: 'It may have been done or not: look before dealing it again.',
  done: 'The book has changed as asked.',
};

function withCode(error: HedgeError): string {
  const { what, code } = error;
  const ours = OWN.has(code) && !(error instanceof RefusedError);
  if (ours || what.includes(code)) return what;
  const stop = /[.!?]$/.exec(what)?.[0] ?? '';
  return `${what.slice(0, what.length - stop.length)} (${code})${stop}`;
}

const OWN: ReadonlySet<string> = new Set(OWN_CODES);
