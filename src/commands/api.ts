/** `hedge api`: a raw request. A POST that is an action runs as one. */

import { API_OPTIONS, type ApiBody, actionOfBody, readApiIntent } from '../args/api-request.ts';
import { GET_PATHS, POST_PATHS, READING_POSTS } from '../client/endpoints.ts';
import { parseUserObject } from '../client/json.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { type View, verbatimLines } from '../output/blocks.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { COMMAND_FLAGS, type FlagNames } from '../trading/guards/unattended-policy.ts';
import type { ActionReport } from '../trading/report.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { defineCommand } from './define.ts';
import { tradeActionAs } from './trade-action.ts';

type ApiResult = { kind: 'reading'; data: unknown } | { kind: 'action'; report: ActionReport };

const apiDocument = (result: ApiResult): unknown =>
  result.kind === 'reading' ? result.data : actionDocument(result.report);

const viewApi = (result: ApiResult): View =>
  result.kind === 'action'
    ? viewAction(result.report)
    : verbatimLines(writeExactJson(result.data, { indent: 2 }));

const isQuery = (flags: string): boolean => flags.startsWith('--param ');

export const api = defineCommand({
  name: 'api',
  summary: 'Send a request that has no command yet',
  description:
    'Sends METHOD to PATH, relative to the base URL of the profile, with its key. Shows the data of the response; with --json the whole envelope. Any GET is allowed. A POST to /hedges, /hedges/add, /hedges/reduce or /hedges/close is treated like hedge open, add, reduce or close: the same halt, limits, confirmation, journal and exit codes. POST /quotes is allowed. Any other POST is not sent.',
  operands: [
    {
      name: 'METHOD',
      summary: 'GET or POST',
      decides: {
        GET: { next: { words: GET_PATHS }, allows: isQuery },
        POST: { next: { words: POST_PATHS }, allows: (flags) => !isQuery(flags) },
      },
    },
    {
      name: 'PATH',
      summary: 'relative to the base URL: /hedges/history',
      completes: { words: [...new Set([...GET_PATHS, ...POST_PATHS])] },
    },
  ],
  options: API_OPTIONS,
  examples: [
    { line: 'hedge api GET /markets', shows: 'every field that the service sends' },
    { line: 'hedge api GET /prices --param symbols=USDTNGN', shows: 'with a query parameter' },
    {
      line: 'hedge api POST /quotes -f market=USDTNGN -f side=buy -F notional_usd=10000 -F tenor_days=3',
      shows: '-f is text, -F is a number, sent with the digits that you type',
    },
    {
      line: `hedge api POST /hedges/close --data '{"market":"USDTNGN","side":"buy"}' --dry-run`,
      shows: 'an action passes the same checks and confirmation as hedge close',
    },
  ],
  read: (raw) => readApiIntent(raw, READING_POSTS),
  async run(context, { method, path, query, body: given, action, raw }): Promise<CommandOutcome<ApiResult>> {
    const body = await bodyOf(context, given);
    if (action !== undefined) {
      const intent = actionOfBody(action, body ?? {}, raw);
      const { value: report, ...outcome } = await tradeActionAs(context, intent, flagsOf(given));
      return { ...outcome, value: { kind: 'action', report } };
    }
    const { data, meta, servedAt } = await (await context.api()).raw({ method, path, query, body });
    return { value: { kind: 'reading', data }, meta, servedAt };
  },
  document: apiDocument,
  view: viewApi,
});

/** The deal ID is a field of the body here. */
const flagsOf = ({ kind }: ApiBody): FlagNames => ({
  ...COMMAND_FLAGS,
  deal_id: kind === 'given' ? '"client_reference":"ID" (in the body)' : '-f client_reference=ID',
});

async function bodyOf(
  context: CommandContext,
  body: ApiBody,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (body.kind === 'none') return undefined;
  if (body.kind === 'fields') return body.fields;
  return parseUserObject(await context.readInput(body.source), 'A body is one JSON object (--data).');
}
