/** An operator whose answers are written down beforehand, at a desk over a service that only reads. */
import { onTestFinished } from 'vitest';
import { readOpenDraft } from '../../src/args/read-action.ts';
import { type HedgeApi, makeHttpApi } from '../../src/client/hedge-api.ts';
import type { Account, Hedge, Market, Quote } from '../../src/client/schemas.ts';
import type { QuoteRequest } from '../../src/client/serialize-request.ts';
import type { OpenDraft } from '../../src/domain/action-intent.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { openJournal } from '../../src/journal/store/journal.ts';
import { renderHuman } from '../../src/output/render-human.ts';
import { hostOf } from '../../src/platform/host.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import type { Prompter } from '../../src/terminal/prompter.ts';
import type { TradingLimits } from '../../src/trading/trading-context.ts';
import type { WizardContext } from '../../src/wizard/wizard-context.ts';
import { DESK, NOON } from '../journal/records.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { steadyRandom } from '../support/steady-clock.ts';
import { writeJournal } from '../support/written-journal.ts';
import { account, big, market, quote } from '../trading/facts.ts';
/** What the service answers; it refuses whatever else is asked of it, actions above all. */
export interface Service {
  markets?: readonly Market[];
  account?: Account;
  hedges?: readonly Hedge[];
  quote?: (request: QuoteRequest, usual: Quote) => Quote;
}

/** A quote at the terms of the samples, for any tenor. */
const usualQuote = ({ side, notional_usd, tenor_days }: QuoteRequest): Quote =>
  quote(side, big(String(notional_usd)).toFixed(), {
    tenor_days,
    maturity: new Date(NOON + tenor_days * 86_400_000).toISOString(),
  });

function serviceOf({
  markets = [market()],
  account: summary = account(),
  hedges = [],
  quote: quoting,
}: Service) {
  const requests: string[] = [];
  const answer = async <T>(line: string, data: () => T) => {
    requests.push(line);
    return { data: data(), meta: {}, servedAt: new Date(NOON), clocks: { wall: NOON } };
  };
  const refuse = async (): Promise<never> => {
    throw new Error('the questions ask for no such thing');
  };
  const api: HedgeApi = {
    ...makeHttpApi(refuse),
    markets: () => answer('GET /markets', () => markets),
    account: () => answer('GET /account', () => summary),
    positions: () => answer('GET /positions', () => []),
    hedges: ({ client_reference: reference } = {}) =>
      answer('GET /hedges', () =>
        hedges.filter((it) => reference === undefined || it.client_reference === reference),
      ),
    quote: (request) =>
      answer(`POST /quotes ${request.tenor_days}`, () => {
        const usual = usualQuote(request);
        return quoting === undefined ? usual : quoting(request, usual);
      }),
  };
  return { api, requests };
}

export interface Question {
  message: string;
  /** Of a list: its lines, the header first. */
  list: readonly string[];
  /** Why answers were not taken. */
  objections: string[];
  /** The accepted answer as it is shown. */
  understood?: string | undefined;
}

/** A person who gives `answers` in their order; of a list the first line that begins with one, of a text the text. */
export function operator(answers: readonly string[]): {
  prompter: Prompter;
  asked: Question[];
  left(): number;
} {
  const waiting = [...answers];
  const asked: Question[] = [];
  const next = (): string => {
    const answer = waiting.shift();
    if (answer === undefined)
      throw new Error(`asked more than there are answers: ${JSON.stringify(asked.at(-1))}`);
    return answer;
  };
  const question = (message: string, list: readonly string[] = []): Question => {
    const made: Question = { message, list, objections: [] };
    asked.push(made);
    return made;
  };
  const unexpected = (): never => {
    throw new Error('no such question is asked here');
  };
  return {
    asked,
    left: () => waiting.length,
    prompter: {
      attended: true,
      hidden: unexpected,
      confirm: unexpected,
      typed: unexpected,
      async select({ message }, choices, options = {}) {
        const shown = question(message, [
          ...(options.header === undefined ? [] : [options.header]),
          ...choices.map(({ name, disabled }) => (disabled === undefined ? name : `${name} ${disabled}`)),
        ]);
        for (;;) {
          const wanted = next();
          const found = choices.find(({ name }) => name.startsWith(wanted));
          if (found === undefined) throw new Error(`no choice ${wanted} among ${JSON.stringify(shown.list)}`);
          if (found.disabled === undefined) return found.value;
          shown.objections.push(found.disabled);
        }
      },
      async input({ message, understood }, objection) {
        const shown = question(message);
        for (;;) {
          const answer = next();
          const said = await objection?.(answer);
          shown.understood = said === undefined ? understood?.(answer) : undefined;
          if (said === undefined) return answer;
          shown.objections.push(said);
        }
      },
    },
  };
}

export const NO_LIMITS: TradingLimits = {
  maxNotional: undefined,
  maxDailyNotional: undefined,
  readOnly: false,
  markets: undefined,
};

export interface WizardSetup {
  limits?: Partial<TradingLimits>;
  journal?: readonly JournalRecord[];
  width?: number;
  service?: Service;
}

/** A desk at which these answers are given, all of them. */
export function wizardWith(answers: readonly string[], setup: WizardSetup = {}) {
  const { api, requests } = serviceOf(setup.service ?? {});
  const home = temporaryFolder();
  if (setup.journal !== undefined) writeJournal(home, setup.journal);
  const clock = { ...quiet, now: () => NOON };
  const machine = { clock, random: steadyRandom(0.5), host: hostOf(process) };
  const places = pathsOf({
    env: { HEDGE_HOME: home },
    host: { platform: 'linux', uid: process.geteuid?.() },
    home,
  });
  const { prompter, asked, left } = operator(answers);
  const notes: string[] = [];
  const asking: WizardContext = {
    api,
    clock,
    signal: new AbortController().signal,
    journal: openJournal({ places, machine }),
    identity: DESK,
    limits: () => ({ ...NO_LIMITS, ...setup.limits }),
    attended: true,
    progress: { start() {}, update() {}, note() {}, news() {}, stop() {} },
    prompter,
    note: (text) => notes.push(text),
    lines: (blocks) =>
      renderHuman(blocks, {
        width: setup.width ?? 78,
        colour: 0,
        unicode: true,
        zone: 'Africa/Lagos',
        now: NOON,
        choices: true,
      })
        .trimEnd()
        .split('\n'),
  };
  onTestFinished(() => {
    if (left() > 0) throw new Error(`${left()} answers were never asked for`);
  });
  return { asking, asked, notes, requests };
}

const quiet = {
  monotonic: () => 0,
  sleep: async () => undefined,
  after: () => () => undefined,
};

/** What was typed after `hedge open`, options by their camelCase names. */
export const draftOf = (words = '', options: Readonly<Record<string, string | boolean>> = {}): OpenDraft =>
  readOpenDraft({
    operands: words.split(' ').filter((word) => word !== ''),
    options: { wait: true, ...options },
  });
