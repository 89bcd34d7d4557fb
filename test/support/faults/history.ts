/**
 * Days at a desk as lists of steps, played on one book and one journal: deals through trouble, a program that dies
 * half-way, a colleague, time that passes, looking and settling. After each step it is held against a simple model of
 * the book. Says in words what must never be and was.
 */
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Action, isUnresolved } from '../../../src/journal/fold.ts';
import { LONGEST_MS } from '../../../src/memory/slow-downs.ts';
import { hostOf } from '../../../src/platform/host.ts';
import { aDesk, type Ran } from '../desk.ts';
import { journalAt } from '../kill-case.ts';
import type { ChangePath } from '../served-book.ts';
import { seededRandom } from '../steady-clock.ts';
import { type FaultDesk, isDocument, told } from './fault-case.ts';
import { CALM, type FaultName, type Plan } from './faults.ts';

export type Deal = 'open' | 'add' | 'reduce' | 'close';

export type Step =
  | {
      kind: 'deal';
      action: Deal;
      side: 'buy' | 'sell';
      size: number;
      /** A deal id of an open, the idempotency key of any other; the same one again is the same intent. */
      name: string | undefined;
      ensure: boolean;
      send: readonly FaultName[];
      polls: readonly FaultName[];
      forever: boolean;
      /** The program dies at its first request of the action. */
      dies: 'before' | 'after' | undefined;
    }
  | { kind: 'colleague'; action: Deal; side: 'buy' | 'sell'; size: number }
  | { kind: 'passes'; ms: number }
  | { kind: 'check' }
  | { kind: 'resume'; send: readonly FaultName[] };

export type Runner = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
) => Promise<Ran>;

const PATHS: Readonly<Record<Deal, ChangePath>> = {
  open: '/hedges',
  add: '/hedges/add',
  reduce: '/hedges/reduce',
  close: '/hedges/close',
};
/** Within this, an action that was sent may be sent again under its key (the design's believed life of a key). */
const KEY_LIVES_MS = 3_600_000;
/** Numbers that no process of ours has. */
const FIRST_PID = 5_000_000;

/** Empty when all is as it must be. */
export async function played(
  { served, proxy, clock }: FaultDesk,
  steps: readonly Step[],
  runner: Runner = (words, run) => run(words),
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-history-'));
  const home = join(folder, 'home');
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, proxy.ca, { mode: 0o600 });
  const random = seededRandom(steps.length);
  const wrong: string[] = [];
  let pid = FIRST_PID;
  try {
    await served.reset();
    await served.opened('buy', 10_000);

    const run = (words: readonly string[]): Promise<Ran> => {
      const own = (pid += 1);
      const kill = (other: number): void => {
        if (other !== own) throw Object.assign(new Error('gone'), { code: 'ESRCH' });
      };
      const geteuid = (): number => process.geteuid?.() ?? 0;
      const host = hostOf({ pid: own, platform: process.platform, geteuid, kill }, join(folder, 'no-proc'));
      const env = { ...proxy.way(home, 'direct'), HEDGE_CA_FILE: caFile };
      return runner(words, (given) => aDesk({ home, clock, random, host, env }).run(given));
    };
    const acted = (key: string): number =>
      served
        .changes()
        .filter(
          ({ idempotencyKey, status, replayed }) =>
            idempotencyKey === key && status < 300 && replayed !== true,
        ).length;
    const entries = (): readonly Action[] => journalAt(home).read().actions;

    const judge = (step: string, ran?: Ran): void => {
      const must = (holds: boolean, what: string): void => {
        if (!holds) wrong.push(`${step}: ${what}`);
      };
      const actions = entries();
      for (const { idempotencyKey: key } of served.changes()) {
        if (key === undefined) continue;
        must(acted(key) <= 1, `done ${acted(key).toString()} times under one key`);
        const known = actions.some(({ intent }) => intent.idempotency_key === key);
        must(acted(key) === 0 || known, 'done, and unknown to the journal');
      }
      for (const { state, shortId, intent } of actions) {
        const times = acted(intent.idempotency_key);
        // A deal that was turned away goes on under its key, in an entry of its own.
        const goesOn = actions.some(
          (it) => it.intent.idempotency_key === intent.idempotency_key && !NOT_DONE.includes(it.state),
        );
        if (NOT_DONE.includes(state) && !goesOn)
          must(times === 0, `${shortId} is ${state} in the journal, and was done`);
        if (DONE.includes(state))
          must(times === 1, `${shortId} is ${state} in the journal, and was not done`);
      }
      for (const dealId of new Set(actions.flatMap(({ intent }) => intent.deal_id ?? []))) {
        const its = actions.filter(({ intent }) => intent.deal_id === dealId);
        const keys = [...new Set(its.map(({ intent }) => intent.idempotency_key))];
        const times = keys.reduce((sum, key) => sum + acted(key), 0);
        must(times <= 1, `the deal ${dealId} was done ${times.toString()} times`);
      }
      if (ran === undefined) return;
      must(isDocument(ran) && ran.code !== 1, `no document, or a fault: ${told(ran)}`);
      const id = /"action_id":"([0-9a-f]{16})"/.exec(ran.out)?.[1];
      const entry = actions.find((each) => each.id === id);
      const effects = [...ran.out.matchAll(/"effect":"(\w+)"/g)].map(([, effect]) => effect);
      if (entry === undefined || ran.out.startsWith('{"data":[')) return;
      const times = acted(entry.intent.idempotency_key);
      if (effects.includes('none') && ran.code !== 10)
        must(times === 0, `done, and called not done: ${told(ran)}`);
      if (effects.includes('done')) must(times === 1, `not done, and called done: ${told(ran)}`);
    };

    for (const [at, step] of steps.entries()) {
      const name = `${(at + 1).toString()} ${step.kind}`;
      switch (step.kind) {
        case 'passes':
          clock.pass(step.ms);
          break;
        case 'colleague': {
          const body = { side: step.side, ...(step.action === 'close' ? {} : { notional_usd: step.size }) };
          const tenor = step.action === 'open' ? { tenor_days: 7 } : {};
          // The service may say no to a colleague too.
          await served.colleague(PATHS[step.action], { ...body, ...tenor }).catch(() => undefined);
          break;
        }
        case 'check': {
          proxy.begin(CALM, () => false);
          const ran = await run(['check', '--json']);
          if (proxy.sent.length > 0) wrong.push(`${name}: it sent something`);
          judge(name, ran);
          break;
        }
        case 'resume':
          proxy.begin({ faults: { ...CALM.faults, send: step.send }, forever: false }, () => true);
          for (const { shortId } of entries().filter(isUnresolved))
            judge(name, await run(['resume', shortId, '--yes', '--resend', '--json']));
          break;
        case 'deal': {
          const plan: Plan = {
            faults: { before: [], send: step.send, polls: step.polls },
            forever: step.forever,
          };
          proxy.begin(plan, () => false);
          const copy = join(folder, 'as-it-died');
          let died = false;
          proxy.onSend((moment) => {
            if (died || moment !== step.dies) return false;
            cpSync(home, copy, { recursive: true });
            died = true;
            return true;
          });
          const ran = await run(wordsOf(step));
          proxy.onSend(undefined);
          if (died) {
            rmSync(home, { recursive: true });
            renameSync(copy, home);
          }
          judge(name, died ? undefined : ran);
          break;
        }
      }
    }

    // Longer than any fill takes, and than any word to slow down is heeded.
    clock.pass(LONGEST_MS);
    proxy.begin(CALM, () => false);
    judge('at last', await run(['check', '--json']));
    for (const { shortId } of entries().filter(isUnresolved)) {
      proxy.begin(CALM, () => true);
      const resumed = await run(['resume', shortId, '--yes', '--resend', '--json']);
      judge('at last', resumed);
      const entry = entries().find((each) => each.shortId === shortId);
      const age = clock.now() - Date.parse(entry?.sentAt ?? entry?.intent.at ?? '');
      if (entry === undefined || !isUnresolved(entry) || age >= KEY_LIVES_MS) continue;
      // Done, and not told from a colleague's; stopped by what the book has become; or turned away by it.
      const isAnswered = acted(entry.intent.idempotency_key) === 1 || proxy.sent.length > 0;
      if (!isAnswered && !resumed.out.includes('"stopped":'))
        wrong.push(`${shortId} is not settled at last: ${told(resumed)}`);
    }
    return wrong;
  } finally {
    proxy.onSend(undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOT_DONE: readonly string[] = ['prepared', 'not_sent', 'refused'];
const DONE: readonly string[] = ['accepted', 'done'];

function wordsOf(step: Extract<Step, { kind: 'deal' }>): readonly string[] {
  const size = step.action === 'close' ? [] : [step.size.toString()];
  const named =
    step.name === undefined
      ? []
      : step.action === 'open'
        ? ['--deal-id', step.name, ...(step.ensure ? ['--ensure'] : [])]
        : ['--idempotency-key', `${step.name}-${step.action}-${step.side}-${step.size.toString()}`];
  const tenor = step.action === 'open' ? ['--tenor', '7'] : [];
  return [step.action, 'USDTNGN', step.side, ...size, ...tenor, ...named, '--yes', '--json'];
}
