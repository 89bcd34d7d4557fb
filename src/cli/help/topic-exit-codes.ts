/** `hedge help exit-codes`: the table that the program itself goes by. */
import { DIES_BY_SIGNAL, EXIT_CODES, WORST_FIRST } from '../exit-codes.ts';
import { code, type Page, rows, text } from './page.ts';

export const exitCodesTopic: Page = [
  {
    title: '',
    parts: [
      text(
        'What a command ended with. With --json, error.effect says what it did to the book: none, pending, unknown or done.',
      ),
    ],
  },
  {
    title: 'Exit codes',
    parts: [
      rows([
        ...EXIT_CODES.map(({ code: number, meaning }) => [number.toString(), meaning] as const),
        ['signal', DIES_BY_SIGNAL],
      ]),
    ],
  },
  {
    title: 'Several results in one run',
    parts: [text(`The worst of them, in this order: ${WORST_FIRST.join(', ')}.`)],
  },
  {
    title: 'In a script',
    parts: [
      code(
        '# the idiom that survives set -e',
        'rc=0; out=$(hedge quote USDTNGN buy 10k --tenor 3 --json) || rc=$?',
        '# an alert needs no document',
        'hedge quote USDTNGN buy 10k --tenor 3 --max-cost-bps 40 -q || echo "too dear, or no answer"',
      ),
    ],
  },
];
