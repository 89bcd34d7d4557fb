/** `hedge help json`: the document and the other forms that a result can leave in. */
import { OWN_CODES } from '../../errors.ts';
import { code, type Page, rows, text } from './page.ts';

export const jsonTopic: Page = [
  {
    title: '',
    parts: [
      text(
        "With --json exactly one document goes to standard output, on success and on failure alike, in the service's own envelope. All else goes to standard error.",
      ),
    ],
  },
  {
    title: 'Examples',
    parts: [
      code(
        'hedge quote USDTNGN buy 10k --tenor 3 --json | jq .data.derived.cost_bps',
        '# the same without jq, figures exact',
        'hedge quote USDTNGN buy 10k --tenor 3 --query data.derived.cost_bps',
        '# lists for a spreadsheet; records one a line',
        'hedge history --csv > history.csv',
        'hedge hedges --output jsonl',
      ),
    ],
  },
  {
    title: 'The document',
    parts: [
      rows([
        ['data', 'what the service sent, every field and digit; what was computed stands under derived'],
        ['error', 'null, or { code, message, effect, retry, hint?, details?, http_status? }'],
        ['meta', 'schema, command, profile, environment, at; for lists covers: how many, from when to when'],
      ]),
      text(
        'Text of the service is cut after 300 characters on screens, and after 4 KB in each field of error; data is never cut. An API key that the service repeats is masked everywhere.',
      ),
      text(
        "An action's data is complete in success, failure and doubt: action, action_id, outcome, effect, request, receipt, hedge, position, quote, derived. In derived, every cost is positive when it is against you.",
      ),
    ],
  },
  {
    title: 'What to branch on',
    parts: [
      rows([
        ['error.code', "the service's own where it gave one, else one of those below"],
        ['error.effect', 'what it did to the book: none, pending, unknown, done'],
        ['error.retry', 'whether to try again: never, later, same_key, after_check'],
      ]),
      text('Never on error.message, which is for people and changes.'),
    ],
  },
  { title: 'Codes of hedge', parts: [text(`${OWN_CODES.join(', ')}.`)] },
];
