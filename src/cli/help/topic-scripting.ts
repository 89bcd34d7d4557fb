/** `hedge help scripting`: dealing with nobody at the terminal. */
import { code, type Page, rows, text } from './page.ts';

export const scriptingTopic: Page = [
  {
    title: '',
    parts: [
      text(
        'A script that stops half-way, or runs twice, must not deal twice. Give every deal an id of your own, and say what is to hold.',
      ),
    ],
  },
  {
    title: 'A deal that may run again',
    parts: [
      code(
        'export HEDGE_PROFILE=practice HEDGE_EXPECT_ENV=practice',
        'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --ensure --max-cost-bps 40 --yes --json',
      ),
      rows([
        ['--deal-id', "the desk's own id; the key that is sent follows from it, on every machine"],
        [
          '--ensure',
          'what is dealt already is exit 0 (filled in part: 7), in flight is awaited, failed is 9',
        ],
        ['--max-cost-bps', 'or --worst-price: checked here, right before it is sent'],
        ['--expect-env', 'what environment you believe to be in; broken, nothing is sent'],
        ['--yes', 'nobody is asked; without it and without a terminal nothing is sent'],
      ]),
    ],
  },
  {
    title: 'What came of it',
    parts: [
      code(
        '# survives set -e',
        'rc=0; out=$(hedge close USDTNGN buy --if-open --yes --json) || rc=$?',
        '# 7: nobody knows whether it was done, or (error.code partial_fill) an open was filled in part.',
        '# Do not deal it again; look',
        'hedge check',
      ),
      text('The codes: hedge help exit-codes. The document: hedge help json.'),
    ],
  },
  {
    title: 'Many deals',
    parts: [
      code(
        '# one connection, one document a line; the same line again deals only what is missing',
        'hedge batch payouts.txt --name "payouts 2026-11-21" --yes > results.jsonl',
      ),
    ],
  },
  {
    title: 'From cron',
    parts: [
      code(
        '# flat by the evening; quiet when there is nothing to do. Exit 10 while a deal of this machine',
        '# is in flight on the side: run it every few minutes for a while',
        'hedge close USDTNGN buy --if-open --yes -q > /dev/null',
        '# tells of what is unresolved',
        'hedge check -q > /dev/null || echo "something at the desk is unresolved"',
      ),
      text('Call hedge itself, not npx hedge, which takes several times as long to start.'),
    ],
  },
];
