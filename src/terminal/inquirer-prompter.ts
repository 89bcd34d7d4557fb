/**
 * The prompters: @inquirer/prompts on standard error, or a refusal without a terminal; and the paste guard, which keeps
 * pasted lines from confirming a trade.
 */

import type { Key } from 'node:readline';
import { say } from '../domain/hint.ts';
import { sanitize } from '../domain/sanitize.ts';
import { cutToWidth, textWidth, wrapWords } from '../domain/text-width.ts';
import type { StoppedError } from '../errors.ts';
import { InterruptedError, nothingSent, UsageError } from '../errors.ts';
import { paint } from './color.ts';
import type { Objection, Prompter, Question } from './prompter.ts';
import type { Terminal } from './streams.ts';

const load = () => import('@inquirer/prompts');

export function askingPrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  const theme = themeOf(terminal);

  /** One question on standard error; the signal or the end of input ends it. */
  async function ask<Value>(
    question: (
      prompts: Awaited<ReturnType<typeof load>>,
      context: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; signal: AbortSignal },
      /** An objection as inquirer takes it. */
      validate: (objection: Objection | undefined) => (answer: string) => Promise<true | string>,
    ) => Promise<Value>,
  ): Promise<Value> {
    const { input, drawing } = terminal.streams;
    const prompts = await load();
    const ending = new AbortController();
    const failing = new AbortController();
    // Ctrl-D pauses the input, and the question would stay open.
    const over = AbortSignal.any([signal, ending.signal, failing.signal]);
    const onPause = (): void => void setImmediate(() => ending.abort());
    input.once('pause', onPause);
    input.prependListener('keypress', dropTab);
    try {
      return await question(prompts, { input, output: drawing, signal: over }, (objection) =>
        validator(objection, { failing, over, width: terminal.stderr.width }),
      );
    } catch (error) {
      ending.abort();
      if (failing.signal.aborted) throw failing.signal.reason;
      // Sent as a real signal, so that the program ends by it.
      if (nameOf(error) === CTRL_C && terminal.interrupt()) await arrivalOf(signal);
      throw errorOf(error, signal);
    } finally {
      input.removeListener('pause', onPause);
      input.removeListener('keypress', dropTab);
    }
  }

  /** A question that confirms an action: a pasted line end is a no. */
  async function askToAct(question: Parameters<typeof ask<boolean>>[0]): Promise<boolean> {
    const { input, drawing } = terminal.streams;
    const guard = watchPastedLines(input, drawing);
    try {
      const answer = await ask((prompts, context, validate) =>
        question(prompts, { ...context, signal: AbortSignal.any([context.signal, guard.signal]) }, validate),
      );
      return guard.signal.aborted ? pastedIsNo() : answer;
    } catch (error) {
      if (guard.signal.aborted && !signal.aborted) return pastedIsNo();
      throw error;
    } finally {
      guard.end();
    }
  }

  function pastedIsNo(): false {
    terminal.writeNote('Pasted line ends do not confirm. Canceled.');
    return false;
  }

  return {
    attended: true,
    hidden: ({ message }, objection) =>
      ask(({ password }, context, validate) =>
        password(
          {
            message: sanitize(message),
            mask: false,
            toggleMask: false,
            validate: validate(objection),
            theme,
          },
          context,
        ),
      ),
    confirm: ({ message }) =>
      askToAct(async ({ input }, context, validate) => {
        const answer = await input(
          {
            message: withRoom(sanitize(message), terminal.stderr.width),
            validate: validate((given) => (isYes(given) || isNo(given) ? undefined : 'Type y or n.')),
            transformer: (given, { isFinal }) =>
              isFinal ? theme.style.answer(isYes(given) ? 'Yes' : 'No') : given,
            theme,
          },
          context,
        );
        return isYes(answer);
      }),
    async select(question, choices, { header } = {}) {
      const { width, unicode } = terminal.stderr;
      // A wrapped choice would look like several.
      const oneLine = (text: string, used: number): string =>
        cutToWidth(sanitize(text), width - used, unicode ? '…' : '...');
      const questionWidth = MARGIN + textWidth(sanitize(question.message)) + 2;
      const available = choices.flatMap(({ name, disabled }) => (disabled === undefined ? [name] : []));
      const digits = digitsAsNames(terminal.streams.input, available);
      // Numbers stand for the values, which may be anything.
      const index = await ask(({ select, Separator }, context) =>
        select(
          {
            message: sanitize(question.message),
            choices: [
              ...(header === undefined ? [] : [new Separator(` ${sanitize(header)}`)]),
              ...choices.map(({ name, short, description, disabled }, value) => ({
                value,
                name: oneLine(name, MARGIN),
                ...(short === undefined ? {} : { short: oneLine(short, questionWidth) }),
                ...(description === undefined ? {} : { description: wrapped(sanitize(description), width) }),
                ...(disabled === undefined ? {} : { disabled: sanitize(disabled) }),
              })),
            ],
            default: choices.findIndex(({ disabled }) => disabled === undefined),
            // Wrapping around would hide the start of the list.
            loop: false,
            pageSize: LONGEST_LIST,
            theme,
          },
          context,
        ),
      ).finally(digits.end);
      const chosen = choices[index];
      if (chosen === undefined) throw declined();
      return chosen.value;
    },
    input: ({ message, understood = String }, objection) =>
      ask(({ input }, context, validate) => {
        const { width } = terminal.stderr;
        const asked = withPlace(sanitize(message), width);
        const taken = MARGIN + textWidth(asked.split('\n').at(-1) ?? '');
        const accepted = (answer: string): string => {
          const shown = sanitize(understood(answer));
          return `${taken + 1 + textWidth(shown) < width ? '' : '\n'}${theme.style.answer(shown)}`;
        };
        return input(
          {
            message: asked,
            validate: validate(objection),
            transformer: (answer, { isFinal }) => (isFinal ? accepted(answer) : answer),
            theme,
          },
          context,
        );
      }),
    typed: ({ message }, wanted, fits) =>
      askToAct(async ({ input }, context, validate) => {
        const objection: Objection = (given) =>
          given.trim() === '' || fits(given.trim())
            ? undefined
            : `Type "${wanted}", or press Enter to cancel.`;
        const asked = onOneOrTwoLines(sanitize(message), sanitize(`Type "${wanted}"`), terminal.stderr.width);
        const answer = await input({ message: asked, validate: validate(objection), theme }, context);
        return answer.trim() !== '' && fits(answer.trim());
      }),
  };
}

/** TAB is a habit of who has completion: inquirer would write an answer for it, the line reader a tab. */
function dropTab(_: string | undefined, key: Key): void {
  if (key.name === 'tab') Object.assign(key, { name: '', ctrl: true });
}

/** Choices shown at once; longer lists scroll. */
const LONGEST_LIST = 12;

/**
 * An error of a validation ends the question through `failing`. A question that is over gets no result, since inquirer
 * would write it to a closed line reader.
 */
const validator =
  (
    objection: Objection | undefined,
    { failing, over, width }: { failing: AbortController; over: AbortSignal; width: number },
  ) =>
  async (answer: string): Promise<true | string> => {
    try {
      const rejected = await objection?.(answer);
      if (over.aborted) return await never();
      return rejected === undefined ? true : wrapped(sanitize(rejected), width);
    } catch (error) {
      failing.abort(error);
      return never();
    }
  };

const never = (): Promise<never> => new Promise(() => undefined);

/** Wrapped between words: inquirer would split an amount. */
const wrapped = (text: string, width: number): string => wrapWords(text, width - MARGIN - 1).join('\n');
/** Columns that inquirer puts before a question. */
const MARGIN = 2;

/** Columns for an answer after its question; with fewer, it is typed below. */
const PLACE = 16;
const withPlace = (question: string, width: number): string =>
  MARGIN + textWidth(question) + PLACE > width ? `${wrapped(question, width)}\n` : question;

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
/** An empty answer is a no. */
const isNo = (answer: string): boolean => /^(no?)?$/i.test(answer.trim());

/** `(y/N)` and the answer are on one line with the last word of the question. */
const ROOM = '\u00a0(y/N)\u00a0Yes';
const withRoom = (question: string, width: number): string =>
  wrapped(question + ROOM, width).replace(ROOM, ' (y/N)');

/** Keeps the text to type on one line, with room for the answer. */
function onOneOrTwoLines(message: string, type: string, width: number): string {
  const taken = MARGIN + textWidth(`${message} ${type} ${type}`);
  return taken < width ? `${message} ${type}` : `${wrapped(message, width)}\n${type}`;
}

const declined = (): StoppedError =>
  nothingSent({
    code: 'declined',
    what: 'Canceled: the input ended before an answer.',
  });

/** The error that inquirer throws at Ctrl-C. */
const CTRL_C = 'ExitPromptError';
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Waits for the signal, which arrives some ticks later. */
async function arrivalOf(signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS && !signal.aborted; turn += 1)
    await new Promise((next) => setImmediate(next));
}
const MOST_TURNS = 10_000;

function errorOf(error: unknown, signal: AbortSignal): unknown {
  const name = nameOf(error);
  if (name === CTRL_C)
    return new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.', meaning: 'Nothing was sent.' });
  if (name !== 'AbortPromptError') return error;
  if (!signal.aborted) return declined();
  const reason: unknown = signal.reason;
  const stopped =
    reason instanceof InterruptedError ? reason : new InterruptedError('SIGINT', { what: 'Stopped.' });
  return stopped.with({ meaning: 'Nothing was sent.' });
}

/** inquirer's own theme would use the color support of standard output instead of standard error. */
function themeOf(terminal: Terminal) {
  const { colour, unicode } = terminal.stderr;
  const tips = (keys: [key: string, action: string][]): string =>
    paint(colour, 'dim', keys.map(([key, action]) => `${unicode ? key : spelled(key)} ${action}`).join(', '));
  return {
    prefix: { idle: paint(colour, 'cyan', '?'), done: paint(colour, 'green', '?') },
    spinner: { interval: 80, frames: ['-', '\\', '|', '/'] },
    icon: { cursor: unicode ? '❯' : '>' },
    style: {
      answer: (text: string) => paint(colour, 'cyan', text),
      message: (text: string) => paint(colour, 'bold', text),
      error: (text: string) => paint(colour, 'red', `> ${text}`),
      defaultAnswer: (text: string) => paint(colour, 'dim', `(${text})`),
      help: (text: string) => paint(colour, 'dim', text),
      highlight: (text: string) => paint(colour, 'cyan', text),
      key: (text: string) => paint(colour, 'bold', text),
      disabled: (text: string) => paint(colour, 'dim', text),
      description: (text: string) => paint(colour, 'dim', text),
      maskedText: '(not shown)',
      keysHelpTip: tips,
    },
    i18n: { disabledError: 'This choice is not available.' },
    // Enter after an error is then an empty answer, and no part of the wrong one.
    validationFailureMode: 'clear' as const,
  };
}

const spelled = (key: string): string =>
  key
    .replaceAll('↑', 'up')
    .replaceAll('↓', 'down')
    .replaceAll('⏎', 'enter')
    .replace(/[^ -~]/g, '');

/** `signal` ends an open question. */
export function choosePrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  return terminal.canPrompt ? askingPrompter(terminal, signal) : refusingPrompter();
}

const refusingPrompter = (): Prompter => ({
  attended: false,
  hidden: refuse,
  confirm: refuse,
  select: refuse,
  input: refuse,
  typed: refuse,
});

async function refuse(question: Question): Promise<never> {
  throw new UsageError(`Not a terminal; cannot ask: ${question.message}`, say`Use ${question.otherwise}`);
}

/**
 * A digit marks the name that begins with it, where inquirer would mark the row of that number. After a digit that no
 * name begins with, Enter chooses nothing until another key.
 */
function digitsAsNames(input: NodeJS.ReadableStream, names: readonly string[]): { end: () => void } {
  let without = false;
  const onKey = (_: string | undefined, key: Key): void => {
    const { name: pressed = '' } = key;
    if (/^\d$/.test(pressed)) {
      // inquirer keeps earlier digits for 0.7 s.
      input.emit('keypress', undefined, { name: 'backspace' });
      key.name = 'digit';
      without = !names.some((name) => name.startsWith(pressed));
    } else if (pressed !== 'return' && pressed !== 'enter') without = false;
    else if (without) key.name = 'backspace';
  };
  input.prependListener('keypress', onKey);
  return { end: () => void input.removeListener('keypress', onKey) };
}

const MARK_PASTES = '\u001b[?2004h';
const NO_MORE_MARKS = '\u001b[?2004l';

export interface PasteWatch {
  /** Aborts once a line end was pasted. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Detects a pasted line end: by the terminal's paste marks, or by a line end with more input in the same tick. */
export function watchPastedLines(input: NodeJS.ReadableStream, drawing: NodeJS.WritableStream): PasteWatch {
  const found = new AbortController();
  let pasting = false;
  let last: string | undefined;
  const onKey = (_: string | undefined, { name }: Key): void => {
    const lineEnd = name === 'return' || name === 'enter';
    if (name === 'paste-start' || name === 'paste-end') pasting = name === 'paste-start';
    else if (pasting && lineEnd) found.abort();
    // More input in the tick of a line end; CR LF is one line end.
    else if (last === 'return' && name !== 'enter') found.abort();
    last = name;
    queueMicrotask(() => {
      last = undefined;
    });
  };
  input.on('keypress', onKey);
  drawing.write(MARK_PASTES);
  return {
    signal: found.signal,
    end() {
      input.removeListener('keypress', onKey);
      drawing.write(NO_MORE_MARKS);
    },
  };
}
