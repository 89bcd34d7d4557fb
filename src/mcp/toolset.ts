/** The tools as a client sees them, and one call: arguments to words, the command run in this process, its document as the result. */

import { wordsOfObject } from '../cli/command-object.ts';
import { isActionName } from '../domain/action-table.ts';
import { parseExactJson, writeExactJson } from '../domain/exact-json.ts';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { commandText } from '../domain/hint.ts';
import { isoSeconds, MINUTE_MS } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import { sanitize } from '../domain/sanitize.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { type HedgeError, UnavailableError, UsageError } from '../errors.ts';
import { errorDocument } from '../output/render-json.ts';
import type { Clock } from '../platform/clock.ts';
import { type OfferedTool, offeredTools } from './offered-tools.ts';
import { HELP, PREPARE } from './tools.ts';

/** Which account every call reads, fixed when the server starts. */
export interface ServedAccount {
  profile: string;
  environment: Environment;
  /** Its label; null without one. */
  account: string | null;
  /** Null for the practice service. */
  base_url: string | null;
  /** `--profile=…`, where a profile names it. */
  selects: readonly string[];
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
}

export interface ToolsetPorts {
  served: ServedAccount;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Runs a command to its end. `files`: what it finds under these names; there are no others. `out`: undefined if it is too large. */
  run(
    words: readonly string[],
    files: ReadonlyMap<string, string>,
  ): Promise<{ code: number; out: string | undefined }>;
}

export interface Toolset {
  tools: readonly OfferedTool[];
  /** Undefined: there is no such tool. */
  call: (name: string, given: unknown) => Promise<ToolResult> | undefined;
}

const CALLS_PER_MINUTE = 60;
const MOST_WAITING = 8;
const LARGEST_ARGUMENTS = 524_288;
const USAGE_EXIT_CODE = 2;

export async function openToolset(ports: ToolsetPorts): Promise<Toolset> {
  const { served, clock } = ports;
  // The profile's key may be changed while this runs.
  const expectsEnvironment = `--expect-env=${served.environment}`;
  const tools = await offeredTools();
  const begun: number[] = [];
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: two never share a connection, a journal or a lock. */
  const inTurn = async (task: () => Promise<ToolResult>): Promise<ToolResult> => {
    const before = last;
    waiting += 1;
    const result = before.then(task, task).finally(() => (waiting -= 1));
    last = result.catch(() => undefined);
    return result;
  };
  const checkRate = (): void => {
    const now = clock.monotonic();
    while ((begun[0] ?? now) <= now - MINUTE_MS) begun.shift();
    if (begun.length >= CALLS_PER_MINUTE || waiting >= MOST_WAITING)
      throw new UnavailableError({
        code: 'unavailable',
        what: `Too many calls: at most ${CALLS_PER_MINUTE.toString()} in a minute, and ${MOST_WAITING.toString()} at a time.`,
        meaning: 'Nothing was sent.',
        hint: 'Wait a minute.',
        retry: 'later',
      });
    begun.push(now);
  };

  return {
    tools,
    call(name, given) {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) return undefined;
      return inTurnOrFailed(async () => {
        checkRate();
        const asked = readCall(tool, given);
        return inTurn(async () => {
          const { code, out } = await ports.run(
            [...asked.command, ...served.selects, expectsEnvironment, ...GLOBALS, ...asked.words],
            asked.files,
          );
          if (out === undefined)
            throw new UsageError(
              'The result is too large for a tool.',
              'Ask for less: limit, since, until, market.',
            );
          return resultOf(tool, { code, document: parseExactJson(out), typed: asked.typed });
        });
      });

      async function inTurnOrFailed(task: () => Promise<ToolResult>): Promise<ToolResult> {
        try {
          return await task();
        } catch (error) {
          if (!(error instanceof UsageError || error instanceof UnavailableError)) throw error;
          return resultOf(tool ?? tools[0], {
            code: exitOf(error),
            document: documentOfError(error, name),
            typed: undefined,
          });
        }
      }
    },
  };

  function documentOfError(error: HedgeError, command: string): unknown {
    return {
      data: null,
      error: errorDocument(error),
      meta: {
        schema: 1,
        command,
        profile: served.profile,
        environment: served.environment,
        at: isoSeconds(clock.now()),
      },
    };
  }

  function resultOf(
    tool: OfferedTool | undefined,
    { code, document, typed }: { code: number; document: unknown; typed: readonly string[] | undefined },
  ): ToolResult {
    // The texts of help are our own, and have lines.
    const shown = tool?.name === HELP.name ? document : harmless(document);
    const failed = isFields(shown) && ownField(shown, 'error') !== null;
    const structuredContent = {
      environment: served.environment,
      profile: served.profile,
      account: served.account,
      base_url: served.base_url,
      action_sent: false,
      exit_code: code,
      ...(tool?.name === PREPARE.name
        ? { command_line: typed === undefined || code !== 0 ? null : commandText(personsWords(typed)) }
        : {}),
      document: shown,
    };
    return {
      content: [{ type: 'text', text: writeExactJson(structuredContent) }],
      structuredContent,
      isError: failed,
    };
  }

  /** Names the profile and the environment of the preview. */
  function personsWords(typed: readonly string[]): readonly string[] {
    const [action = '', ...others] = typed;
    const words = [...served.selects, expectsEnvironment, action, ...others];
    return ['hedge', ...words.flatMap(apart)];
  }
}

/** `--tenor=3` as it is typed: `--tenor 3`. */
const apart = (word: string): readonly string[] => {
  const [, option, value] = /^(--[a-z-]+)=([^-].*)$/s.exec(word) ?? [];
  return option === undefined || value === undefined ? [word] : [option, value];
};

const GLOBALS = ['--json', '--quiet'];

const exitOf = (error: HedgeError): number => (error instanceof UnavailableError ? 5 : USAGE_EXIT_CODE);

interface AskedCall {
  /** The words after `hedge`. */
  command: readonly string[];
  words: readonly string[];
  files: ReadonlyMap<string, string>;
  /** The command line of an action that a person types. */
  typed: readonly string[] | undefined;
}

/** @throws UsageError for an unknown argument, or a value of another kind. */
function readCall(tool: OfferedTool, given: unknown): AskedCall {
  const fields = readArguments(given);
  const { fields: known } = tool;
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `The tool ${tool.name} has no argument ${quoted(unknown)}.`,
      known.length === 0 ? 'It takes none.' : `Its arguments are ${known.join(', ')}.`,
    );
  if (tool.name === HELP.name) return helpCall(fields);
  if (tool.name === PREPARE.name) return preparedCall(tool, fields);
  const files = new Map<string, string>();
  const named = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (!tool.contents.includes(name) || typeof value !== 'string') return [name, value];
      files.set(fileOf(name), value);
      return [name, fileOf(name)];
    }),
  );
  const words = [...tool.always, ...wordsOfObject(tool.command, named)];
  return { command: tool.command.name.split(' '), words, files, typed: undefined };
}

const fileOf = (field: string): string => `${field}.${field === 'policy' ? 'json' : 'csv'}`;

function helpCall(fields: Fields): AskedCall {
  const about = ownField(fields, 'about');
  const words = typeof about === 'string' ? about.split(' ').filter((word) => word !== '') : [];
  return { command: ['help'], words: ['--', ...words], files: new Map(), typed: undefined };
}

function preparedCall(tool: OfferedTool, { action, ...fields }: Fields): AskedCall {
  if (typeof action !== 'string' || !isActionName(action))
    throw new UsageError('The argument "action" is open, add, reduce or close.');
  const command = tool.actions?.find(({ name }) => name === action);
  if (command === undefined) throw new Error(`the tool does not prepare ${action}`);
  const words = wordsOfObject(command, fields);
  const end = words.indexOf('--');
  const [options, operands] = [words.slice(0, end), words.slice(end + 1)];
  const isOption = operands.some((word) => word.startsWith('-'));
  const typed = isOption ? [action, ...options, '--', ...operands] : [action, ...operands, ...options];
  return { command: [action], words: ['--dry-run', ...words], files: new Map(), typed };
}

/** Text, true or false, and lists of text: a number has lost its digits before it comes here. */
function readArguments(given: unknown): Fields {
  const fields = given ?? {};
  if (!isFields(fields) || Array.isArray(fields)) throw new UsageError('The arguments are an object.');
  if (Buffer.byteLength(JSON.stringify(fields)) > LARGEST_ARGUMENTS)
    throw new UsageError(`The arguments are larger than ${LARGEST_ARGUMENTS.toString()} bytes.`);
  for (const [name, value] of Object.entries(fields)) checkValue(name, value);
  return fields;
}

function checkValue(name: string, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'boolean') {
    if (typeof value === 'string' && value.includes('\0'))
      throw new UsageError(`The argument ${quoted(name)} has a NUL character.`);
    return;
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return;
  throw new UsageError(
    `The argument ${quoted(name)} is neither text nor true or false.`,
    typeof value === 'number' ? 'Give a number as text: "10000".' : undefined,
  );
}

/** Every text as on a screen: what the service wrote cannot act on what shows it. Figures stay exact. */
function harmless(value: unknown): unknown {
  if (typeof value === 'string') return sanitize(value);
  if (Array.isArray(value)) return value.map(harmless);
  if (!isFields(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [sanitize(name), harmless(inner)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
