/** `hedge api`: a request in the service's own words, for what has no command yet. */
import { readGivenObject } from '../client/given-json.ts';
import { ON_THE_LINE, type Ways } from '../flow/guard/guard-attendance.ts';
import { actionOfBody } from '../intent/api-action.ts';
import { API_OPTIONS, type ApiBody, readApiIntent } from '../intent/api-intent.ts';
import { type ApiResult, apiDocument, viewApi } from '../present/views/api.ts';
import { dealtAs } from './dealing.ts';
import { defineCommand } from './define.ts';
import type { Desk } from './desk.ts';
import type { Outcome } from './shown.ts';

export const api = defineCommand({
  name: 'api',
  summary: "a request in the service's own words, for what has no command yet",
  description:
    'Sends METHOD to PATH below the base address of the profile, with its key, and shows the data of the answer; with --json the whole envelope. A GET goes anywhere. A POST to /hedges, /hedges/add, /hedges/reduce or /hedges/close is the action that it is: it passes halt, limits, confirmation and journal as hedge open, add, reduce and close do, and ends as they do. What any other POST but /quotes does is not known, so it is not sent.',
  operands: [
    { name: 'METHOD', summary: 'GET or POST' },
    { name: 'PATH', summary: 'below the base address: /hedges/history' },
  ],
  options: API_OPTIONS,
  examples: [
    { line: 'hedge api GET /markets', shows: 'what the service sends, every field of it' },
    { line: 'hedge api GET /prices --param symbols=USDTNGN', shows: 'with a query' },
    {
      line: 'hedge api POST /quotes -f market=USDTNGN -f side=buy -F notional_usd=10000 -F tenor_days=3',
      shows: '-f is text, -F is a number: its digits go out as they are',
    },
    {
      line: `hedge api POST /hedges/close --data '{"market":"USDTNGN","side":"buy"}' --dry-run`,
      shows: 'an action is guarded, shown and asked about like any other',
    },
  ],
  read: readApiIntent,
  async run(desk, { method, path, query, body: given, action, raw }): Promise<Outcome<ApiResult>> {
    const body = await bodyOf(desk, given);
    if (action !== undefined) {
      const intent = actionOfBody(action, body ?? {}, raw);
      const { value: report, ...outcome } = await dealtAs(desk, intent, waysOf(given));
      return { ...outcome, value: { kind: 'action', report } };
    }
    const { data, meta, servedAt } = await (await desk.api()).raw({ method, path, query, body });
    return { value: { kind: 'reading', data }, meta, servedAt };
  },
  document: apiDocument,
  view: viewApi,
});

/** A deal id is a field of the body here. */
const waysOf = ({ kind }: ApiBody): Ways => ({
  ...ON_THE_LINE,
  deal_id: kind === 'given' ? '"client_reference":"ID" (in the body)' : '-f client_reference=ID',
});

async function bodyOf(desk: Desk, body: ApiBody): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (body.kind === 'none') return undefined;
  if (body.kind === 'fields') return body.fields;
  return readGivenObject(await desk.given(body.source), 'A body is one JSON object (--data).');
}
