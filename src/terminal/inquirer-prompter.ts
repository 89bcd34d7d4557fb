/**
 * The asking body of Prompter: @inquirer/prompts on standard error, loaded when the first question comes.
 *
 * Which body of Prompter asks: one asks, the other refuses because nobody is there. There is no third that
 * answers by itself.
 *
 * Notices an answer that was pasted with its line end: lines meant for a shell must not say yes to a deal.
 * Most terminals mark what is pasted when they are asked to; elsewhere a line end with more behind it, all
 * come at once, gives it away. Knows no question.
 */

import type { Key } from 'node:readline';
import { sanitize } from '../domain/sanitize.ts';
import { cutToWidth, textWidth, wrapWords } from '../domain/text-width.ts';
import { InterruptedError, StoppedError, UsageError } from '../errors.ts';
import { paint } from './color.ts';
import type { Objection, Prompter, Question } from './prompter.ts';
import type { Terminal } from './streams.ts';

const load = () => import('@inquirer/prompts');

export function askingPrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  const theme = themeOf(terminal);

  /** One question: drawn on standard error, ended by the program's signal or by the end of the input. */
  async function ask<Value>(
    question: (
      prompts: Awaited<ReturnType<typeof load>>,
      context: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; signal: AbortSignal },
      /** An objection as inquirer takes it. */
      judge: (objection: Objection | undefined) => (answer: string) => Promise<true | string>,
    ) => Promise<Value>,
  ): Promise<Value> {
    const { input, drawing } = terminal.streams;
    const prompts = await load();
    const ending = new AbortController();
    const failing = new AbortController();
    // Ctrl-D closes the line reader, which pauses its input, and the question would stay open for ever.
    const over = AbortSignal.any([signal, ending.signal, failing.signal]);
    const onPause = (): void => void setImmediate(() => ending.abort());
    input.once('pause', onPause);
    try {
      return await question(prompts, { input, output: drawing, signal: over }, (objection) =>
        verdict(objection, { failing, over, width: terminal.stderr.width }),
      );
    } catch (error) {
      ending.abort();
      if (failing.signal.aborted) throw failing.signal.reason;
      // As a real signal, whoever watches for one learns of it and the program dies by it.
      if (nameOf(error) === CTRL_C && terminal.interrupt()) await arrivalOf(signal);
      throw errorOf(error, signal);
    } finally {
      input.removeListener('pause', onPause);
    }
  }

  /** A question whose yes acts: lines that were pasted are a no. */
  async function askToAct(question: Parameters<typeof ask<boolean>>[0]): Promise<boolean> {
    const { input, drawing } = terminal.streams;
    const watch = watchPastedLines(input, drawing);
    try {
      const answer = await ask((prompts, context, judge) =>
        question(prompts, { ...context, signal: AbortSignal.any([context.signal, watch.signal]) }, judge),
      );
      return watch.signal.aborted ? pastedIsNo() : answer;
    } catch (error) {
      if (watch.signal.aborted && !signal.aborted) return pastedIsNo();
      throw error;
    } finally {
      watch.end();
    }
  }

  function pastedIsNo(): false {
    terminal.writeNote('A pasted line end is not taken for an answer: that is a no.');
    return false;
  }

  return {
    attended: true,
    hidden: ({ message }, objection) =>
      ask(({ password }, context, judge) =>
        password(
          { message: sanitize(message), mask: false, toggleMask: false, validate: judge(objection), theme },
          context,
        ),
      ),
    confirm: ({ message }) =>
      askToAct(({ confirm }, context) =>
        confirm(
          { message: withRoom(sanitize(message), terminal.stderr.width), default: false, theme },
          context,
        ),
      ),
    async select(question, choices, { header } = {}) {
      const { width, unicode } = terminal.stderr;
      // A choice that inquirer broke would look like several.
      const oneLine = (text: string, beside: number): string =>
        cutToWidth(sanitize(text), width - beside, unicode ? '…' : '...');
      const besideAnswer = MARGIN + textWidth(sanitize(question.message)) + 2;
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
                ...(short === undefined ? {} : { short: oneLine(short, besideAnswer) }),
                ...(description === undefined ? {} : { description: sanitize(description) }),
                ...(disabled === undefined ? {} : { disabled: sanitize(disabled) }),
              })),
            ],
            default: choices.findIndex(({ disabled }) => disabled === undefined),
            // Going round would hide where the list begins.
            loop: false,
            pageSize: LONGEST_LIST,
            theme,
          },
          context,
        ),
      );
      const chosen = choices[index];
      if (chosen === undefined) throw declined();
      return chosen.value;
    },
    input: ({ message }, objection) =>
      ask(({ input }, context, judge) =>
        input(
          { message: withPlace(sanitize(message), terminal.stderr.width), validate: judge(objection), theme },
          context,
        ),
      ),
    typed: ({ message }, wanted, fits) =>
      askToAct(async ({ input }, context, judge) => {
        const objection: Objection = (given) =>
          given.trim() === '' || fits(given.trim())
            ? undefined
            : `Type "${wanted}", or nothing at all to stop here.`;
        const asked = besideOrUnder(sanitize(message), sanitize(`Type "${wanted}"`), terminal.stderr.width);
        const answer = await input(
          // What was wrong is taken away, so that Enter alone stops it.
          { message: asked, validate: judge(objection), theme: { ...theme, validationFailureMode: 'clear' } },
          context,
        );
        return answer.trim() !== '' && fits(answer.trim());
      }),
  };
}

/** Choices shown at once; longer lists scroll. */
const LONGEST_LIST = 12;

/**
 * An error inside a question would be nobody's: it ends the question by `failing` and is thrown from there. A
 * question that is over gets no verdict: inquirer would write it into a line reader that is closed.
 */
const verdict =
  (
    objection: Objection | undefined,
    { failing, over, width }: { failing: AbortController; over: AbortSignal; width: number },
  ) =>
  async (answer: string): Promise<true | string> => {
    try {
      const said = await objection?.(answer);
      if (over.aborted) return await never();
      return said === undefined ? true : wrapped(sanitize(said), width);
    } catch (error) {
      failing.abort(error);
      return never();
    }
  };

const never = (): Promise<never> => new Promise(() => undefined);

/** Broken between words: inquirer would cut an amount in two. */
const wrapped = (text: string, width: number): string => wrapWords(text, width - MARGIN - 1).join('\n');
/** What inquirer puts before a question. */
const MARGIN = 2;

/** Columns that an answer gets beside its question; where there are fewer it is typed under it. */
const PLACE = 16;
const withPlace = (question: string, width: number): string =>
  MARGIN + textWidth(question) + PLACE > width ? `${wrapped(question, width)}\n` : question;

/** What inquirer puts after a question for yes or no, and the answer, on one line with its last word. */
const YES_OR_NO = '\u00a0(y/N)\u00a0Yes';
const withRoom = (question: string, width: number): string =>
  wrapped(question + YES_OR_NO, width).slice(0, -YES_OR_NO.length);

/** What is to be typed stands whole on one line, with room for the same as its answer. */
function besideOrUnder(message: string, type: string, width: number): string {
  const taken = MARGIN + textWidth(`${message} ${type} ${type}`);
  return taken < width ? `${message} ${type}` : `${wrapped(message, width)}\n${type}`;
}

const declined = (): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: 'The input ended before the question was answered.',
    book: 'Nothing was sent.',
  });

/** What inquirer throws at Ctrl-C. */
const CTRL_C = 'ExitPromptError';
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** A signal to oneself comes some turns of the loop later, and alone would not keep the process waiting. */
async function arrivalOf(signal: AbortSignal): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS && !signal.aborted; turn += 1)
    await new Promise((next) => setImmediate(next));
}
const MOST_TURNS = 10_000;

function errorOf(error: unknown, signal: AbortSignal): unknown {
  const name = nameOf(error);
  if (name === CTRL_C)
    return new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.', book: 'Nothing was sent.' });
  if (name !== 'AbortPromptError') return error;
  if (!signal.aborted) return declined();
  const reason: unknown = signal.reason;
  return new InterruptedError(reason instanceof InterruptedError ? reason.signal : 'SIGINT', {
    what: reason instanceof InterruptedError ? reason.what : 'Stopped.',
    book: 'Nothing was sent.',
  });
}

/** Our colours and our letters: inquirer's own would ask Node about standard output, which is not drawn on. */
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
    i18n: { disabledError: 'This one cannot be chosen.' },
  };
}

const spelled = (key: string): string =>
  key
    .replaceAll('↑', 'up')
    .replaceAll('↓', 'down')
    .replaceAll('⏎', 'enter')
    .replace(/[^ -~]/g, '');

/** `signal` is the program's own: its abort ends a question that is open. */
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
  throw new UsageError(
    `Nobody is there to answer (no terminal): ${question.message}`,
    `Say it on the command line: ${question.otherwise}`,
  );
}

const MARK_PASTES = '\u001b[?2004h';
const NO_MORE_MARKS = '\u001b[?2004l';

export interface PasteWatch {
  /** Aborts once a line end was pasted. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Watches until `end`, which leaves the terminal as it was. */
export function watchPastedLines(input: NodeJS.ReadableStream, drawing: NodeJS.WritableStream): PasteWatch {
  const found = new AbortController();
  let pasting = false;
  let last: string | undefined;
  const onKey = (_: string | undefined, { name }: Key): void => {
    const lineEnd = name === 'return' || name === 'enter';
    if (name === 'paste-start' || name === 'paste-end') pasting = name === 'paste-start';
    else if (pasting && lineEnd) found.abort();
    // What follows a line end before the program could answer it; CR LF is one line end.
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
