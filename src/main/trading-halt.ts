/** Halts trading and lifts a halt, and records both in the journal. They take effect first, whatever the journal says. */
import type { HaltEffect, TradingHalt } from '../commands/command-context.ts';
import { exactInstant } from '../domain/instants.ts';
import { HedgeError } from '../errors.ts';
import { type Halt, liftHalt, setHalt } from '../journal/halt.ts';
import { type HaltRecord, SCHEMA } from '../journal/records.ts';
import type { Journal } from '../journal/store.ts';
import { recordedOperator, type SelectProfile } from './own-journal.ts';
import type { CommandRuntime } from './runtime-context.ts';

export interface HaltPorts {
  parts: CommandRuntime;
  select: SelectProfile;
  journal: () => Promise<Journal>;
}

export async function haltTrading(
  words: Parameters<TradingHalt['halt']>[0],
  ports: HaltPorts,
): Promise<HaltEffect> {
  const { machine } = ports.parts;
  const who = await signature(ports);
  const places = ports.parts.places();
  const before = setHalt({ who, ...words }, { machine, places });
  const { why, note } = words;
  return {
    before,
    unrecorded: await whyUnrecorded({ kind: 'halt', who, why: why.trim(), ...noted(note) }, ports),
  };
}

export async function liftTradingHalt(
  { note }: Parameters<TradingHalt['unhalt']>[0],
  ports: HaltPorts,
): Promise<HaltEffect> {
  const { parts } = ports;
  const before = liftHalt({ machine: parts.machine, places: parts.places() });
  if (before === undefined) return { before, unrecorded: undefined };
  return {
    before,
    unrecorded: await whyUnrecorded({ kind: 'unhalt', ...liftedFrom(before), ...noted(note) }, ports),
  };
}

const liftedFrom = (halt: Halt) =>
  'unreadable' in halt ? {} : { lifted: { who: halt.who, at: halt.at, why: halt.why } };

const noted = (note: string | undefined): { note?: string } => (note === undefined ? {} : { note });

/** `Ada O. (ada@desk)`. A wrong HEDGE_OPERATOR must not prevent a halt. */
async function signature({ parts, select }: HaltPorts): Promise<string> {
  const who = parts.machine.host.who();
  try {
    const { name } = await recordedOperator(parts, select);
    return name === undefined ? who : `${name} (${who})`;
  } catch {
    return who;
  }
}

type HaltEvent = HaltRecord extends infer Each
  ? Each extends HaltRecord
    ? Omit<Each, 'schema' | 'at'>
    : never
  : never;

/** Undefined once it is recorded. Never throws: the halt, or its end, is in effect. */
async function whyUnrecorded(event: HaltEvent, { parts, journal }: HaltPorts): Promise<string | undefined> {
  const at = exactInstant(parts.machine.clock.now());
  try {
    await (await journal()).append([{ schema: SCHEMA, at, ...event }]);
    return undefined;
  } catch (error) {
    return error instanceof HedgeError ? error.what : String(error);
  }
}
