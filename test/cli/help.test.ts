/** Help: what can be pasted first, nothing wider than a small terminal, and texts that agree with the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { COMMON_OPTIONS } from '../../src/cli/help/command-help.ts';
import { TOPIC_TEXTS } from '../../src/cli/help/find-help.ts';
import { EXIT_CODE_ROWS, topicPage } from '../../src/cli/help/markdown.ts';
import { type Page, paragraph, renderPage } from '../../src/cli/help/page.ts';
import { HELP_TOPICS } from '../../src/cli/help/topics.ts';
import { isGroup } from '../../src/commands/define.ts';
import { REGISTRY } from '../../src/commands/registry.ts';
import { TEXTS } from '../support/examples.ts';
import { testCli } from '../support/test-cli.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Options of Node that the topics name. */
const OF_NODE = new Set(['--inspect', '--heapsnapshot-signal']);

const entries = await Promise.all(REGISTRY.map((line) => line.load()));
const commands = entries.flatMap((entry) =>
  isGroup(entry) ? [...(entry.main === undefined ? [] : [entry.main]), ...entry.commands] : [entry],
);

async function help(words: string, width = 80): Promise<string> {
  const { code, out, err } = await testCli().run(words, { terminal: { isTTY: true, width } });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const PAGES = [
  '--help',
  ...HELP_TOPICS.map(({ name }) => `help ${name}`),
  ...REGISTRY.map(({ name }) => `${name} --help`),
  ...commands.map(({ name }) => `help ${name}`),
];

describe('help', () => {
  it.each(PAGES)('hedge %s fits 80 columns, on a wide terminal too', async (words) => {
    for (const width of [80, 200]) {
      const wide = (await help(words, width)).split('\n').filter((line) => line.length > 80);
      expect(wide).toEqual([]);
    }
  });

  it.each([
    ['help --json', 'help'],
    ['--help --json', 'help'],
    ['open --help --json', 'help'],
    ['help quote --output json', 'help'],
  ])('%s is one document with the page in it', async (words, command) => {
    const ran = await testCli().run(words);
    const page = (await testCli().run(words.replace(/ --(json|output json)/, ''))).out;
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.document()).toMatchObject({ data: { text: page }, error: null, meta: { command } });
  });

  it('is picked from like any document', async () => {
    const ran = await testCli().run(['help', 'quote', '--query', 'meta.command']);
    expect(ran).toMatchObject({ code: 0, out: 'help\n' });
  });

  it('names a deal ID of hedge api by its field of the body, for there is no such option', async () => {
    const page = await help('api --help');
    expect(page).toMatch(/with client_reference: open once per deal ID/);
    expect(page).not.toContain('--deal-id');
  });

  it('of hedge itself has a line for each command, and options last', async () => {
    const lines = (await help('--help')).split('\n');
    for (const { name, summary } of REGISTRY)
      expect(
        lines
          .find((line) => line.startsWith(`  ${name} `))
          ?.trim()
          .replace(/ +/, ' '),
      ).toBe(`${name} ${summary}`);
    for (const { name, summary } of HELP_TOPICS)
      expect(lines.find((line) => line.startsWith(`  help ${name} `))).toContain(summary);
    const titles = lines.filter((line) => /^[A-Z]/.test(line));
    expect(titles.at(-1)).toBe('Options of every command');
  });

  it('of a command begins with lines that can be pasted', async () => {
    const lines = (await help('quote --help')).split('\n');
    expect(lines.slice(0, 8)).toEqual([
      expect.stringMatching(/^Price a hedge/),
      '',
      'Usage',
      '  hedge quote MARKET SIDE [NOTIONAL] [options]',
      '',
      'Examples',
      '  # 1, 3 and 7 days',
      '  hedge quote USDTNGN buy 10000',
    ]);
    expect(lines.indexOf('Arguments')).toBeGreaterThan(lines.indexOf('Examples'));
  });

  it('breaks a long example where a shell goes on reading', async () => {
    const out = await help('profile add --help');
    expect(out).toContain(
      '  pass show hedge/test | hedge profile add payouts \\\n      --base-url https://partner.example/api/v2 --key-stdin\n',
    );
  });

  it.each(commands.map(({ name, examples }) => [name, examples] as const))(
    '%s has an example, and says what it shows in words that no shell trips over',
    (_name, examples) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const { line, shows } of examples) {
        expect(line).toMatch(/\bhedge /);
        expect(shows).not.toMatch(/['"`$\\]/);
      }
    },
  );

  it('is the same by either way to it, for a command of a group too', async () => {
    expect(await help('help quote')).toBe(await help('quote --help'));
    expect(await help('help profile add')).toBe(await help('profile add --help'));
    expect(await help('help')).toBe(await help('--help'));
  });

  it.each(['help nonsense', 'help quote add', 'help profile nonsense', 'help json more'])(
    'hedge %s lists what exists',
    async (words) => {
      const { code, err } = await testCli().run(words);
      expect(code).toBe(2);
      expect(err).toContain('exit-codes');
    },
  );
});

describe('hedge help topics', () => {
  it('lists every topic, each by the line that shows it', async () => {
    const page = await help('help topics');
    for (const { name, summary } of HELP_TOPICS)
      expect(page).toMatch(new RegExp(`^ {2}help ${name} +${summary.replaceAll(/[-.]/g, '.')}$`, 'm'));
  });
});

describe('a word that was mistyped', () => {
  it.each([
    ['qoute USDTNGN buy 10k', 'Did you mean quote?'],
    ['quote USDTNGN buy 10k --tenro 3', 'Did you mean --tenor?'],
    ['profile lsit', 'Did you mean list?'],
    ['quote USDTNGN byu 10k', 'Did you mean buy? Use buy or sell.'],
    ['hedges --status filed', 'Did you mean filled?'],
    ['help exit-code', 'Did you mean exit-codes?'],
    ['help qoute', 'Did you mean quote?'],
    ['help topcs', 'Did you mean topics?'],
    ['help profile lsit', 'Did you mean profile list?'],
    ['help quote add', 'Did you mean: hedge help quote.'],
    ['help json more', 'Did you mean: hedge help json.'],
    ['practice faults --lost 1', 'See hedge practice faults --help.'],
    ['quote --lost 1', 'See hedge quote --help.'],
    ['--lost 1', 'See hedge --help.'],
    ['markets --output cvs', 'Did you mean csv?'],
    ['markets --profile practice --expect-env practise', 'Did you mean practice?'],
    ['completion fihs', 'Did you mean fish?'],
    ['practice faults --only opne', 'Did you mean open?'],
    ['quote buy USDTNGN 10k', 'Did you mean: hedge quote USDTNGN buy 10k'],
  ])('hedge %s: %s', async (words, suggestion) => {
    const { code, err } = await testCli().run(words);
    expect(code).toBe(2);
    expect(err).toContain(suggestion);
  });
});

describe('the README', () => {
  it('has each command in its table, and no other', () => {
    const table = README.split('## Commands')[1]?.split('\n## ')[0] ?? '';
    const cells = table.split('\n').flatMap((line) => /^\| (`.*?`) \| /.exec(line)?.[1] ?? []);
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z][a-z-]*)/g)].map(([, name]) => name));
    const registered = REGISTRY.map(({ name }) => name);
    expect(listed.filter((name) => name !== 'hedge' && !registered.includes(name ?? ''))).toEqual([]);
    expect(registered.filter((name) => !listed.includes(name))).toEqual([]);
  });
});

describe('the exit codes', () => {
  it('are in help with their meanings, and in the README by number', async () => {
    const page = (await help('help exit-codes')).replaceAll(/\s+/g, ' ');
    for (const [code, meaning] of EXIT_CODE_ROWS) expect(page).toContain(`${code} ${meaning}`);
    const codes = EXIT_CODES.map(String);
    expect(EXIT_CODE_ROWS.map(([code]) => code)).toEqual([...codes, 'signal']);
    const listed = README.split('\n').flatMap((line) => /^\| (\d+) \|/.exec(line)?.[1] ?? []);
    expect(listed.map(Number)).toEqual(EXIT_CODES);
  });
});

/** Lines of text: blank ones separate. */
const linesOf = (page: Page): readonly string[] =>
  renderPage(page, 80)
    .split('\n')
    .filter((line) => line !== '');

describe('help begins with what to do', () => {
  it.each(Object.entries(TOPIC_TEXTS))('topic %s: in ten lines at most', async (_name, text) => {
    const [first] = await topicPage(text);
    const lines = linesOf(first === undefined ? [] : [first]);
    expect(lines.slice(10)).toEqual([]);
    expect(lines).not.toEqual([]);
  });

  it('exit code 7 is answered in three steps by its topic', async () => {
    for (const topic of ['recovery', 'exit-codes']) {
      const page = (await help(`help ${topic}`)).replaceAll(/\s+/g, ' ');
      expect(page.slice(0, 600)).toMatch(/1\. hedge check.*2\. .*hedge resume.*3\. never retype it/i);
    }
  });

  it.each(commands.map(({ name, description }) => [name, description] as const))(
    'hedge %s: its description has ten lines at most',
    (_name, description = '') => {
      const parts = description.split('\n\n').map(paragraph);
      const lines = linesOf([{ title: 'Description', parts }]).slice(1);
      expect(lines.slice(10)).toEqual([]);
    },
  );
});

describe('topics', () => {
  it('have a Markdown file each, and no other file is there', () => {
    const files = readdirSync(join(SRC, 'help')).filter((name) => name.endsWith('.md'));
    expect(files.toSorted()).toEqual(HELP_TOPICS.map(({ name }) => `${name}.md`).toSorted());
  });

  it('say nothing that the terminal shows as Markdown', async () => {
    for (const { name } of HELP_TOPICS)
      expect(await help(`help ${name}`)).not.toMatch(/\*\*|^#+ [A-Z]|\{\{|^\|/m);
  });

  it('name only commands, options and topics that exist', async () => {
    const words = new Set([...commands.map(({ name }) => name), ...REGISTRY.map(({ name }) => name)]);
    const options = new Set(
      [...commands.flatMap((command) => command.options), ...COMMON_OPTIONS].flatMap(
        ({ flags }) => flags.match(/--[a-z-]+/g) ?? [],
      ),
    );
    for (const [from, text] of TEXTS) {
      const named = text.match(/`hedge ([a-z]+)/g)?.map((found) => found.slice('`hedge '.length)) ?? [];
      expect({ from, unknown: named.filter((name) => name !== 'help' && !words.has(name)) }).toEqual({
        from,
        unknown: [],
      });
      const given = text.match(/`--[a-z-]+/g)?.map((found) => found.slice(1)) ?? [];
      expect({ from, unknown: given.filter((flag) => !options.has(flag) && !OF_NODE.has(flag)) }).toEqual({
        from,
        unknown: [],
      });
      const topics = [...text.matchAll(/hedge help (?!--)([a-z-]+)/g)].map(([, topic]) => topic);
      const known: readonly (string | undefined)[] = [
        ...words,
        'topics',
        ...HELP_TOPICS.map(({ name }) => name),
      ];
      expect(topics.filter((topic) => !known.includes(topic))).toEqual([]);
    }
  });

  it('name every variable of our own that is read', async () => {
    const text = await help('help environment');
    const read = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap(
        (name) => readFileSync(join(SRC, name), 'utf8').match(/(?:env\[|present\()'[A-Za-z_]+'/g) ?? [],
      )
      .map((found) => found.replace(/^.*'(.*)'$/, '$1'));
    expect(read).toContain('HEDGE_HOME');
    expect([...new Set(read)].filter((name) => !text.includes(name))).toEqual([]);
  });
});
