/** The contract with programs: the schemas of every command, and the structure of help. A change of it is seen in a review. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { schemasOf } from '../../src/cli/help/command-schemas.ts';
import { loadCommands } from '../../src/commands/registry.ts';
import { OWN_CODES } from '../../src/errors.ts';
import { documentSchemaOf } from '../../src/schema/catalogue.ts';
import { branchesOf, checkDocument, declaredBranches } from '../support/documents.ts';
import { type TestCli, testCli } from '../support/test-cli.ts';

const cli = { run: (...of: Parameters<TestCli['run']>) => testCli().run(...of) };
const commands = await loadCommands();

interface Described {
  command: string;
  input: { properties?: Record<string, unknown> } | null;
}

async function described(words: string): Promise<readonly Described[]> {
  const { code, out } = await cli.run(`schema ${words} --json`);
  expect(code).toBe(0);
  const read: { data: readonly Described[] } = JSON.parse(out);
  return read.data;
}

interface Help {
  commands?: readonly { name: string }[];
  options?: readonly unknown[];
  exit_codes?: readonly unknown[];
  error_codes?: readonly { code: string }[];
}

async function helpOf(words: string): Promise<Help> {
  const read: { data: Help } = JSON.parse((await cli.run(words)).out);
  return read.data;
}

const partsOf = (defs: unknown): object => (typeof defs === 'object' && defs !== null ? defs : {});

const all = await schemasOf([]);

describe('hedge schema', () => {
  it('has every command, and a document for each but batch, which prints those of its lines', () => {
    expect(all.map(({ command }) => command).toSorted()).toEqual(
      [...commands.map(({ name }) => name), 'hedge', 'help'].toSorted(),
    );
    expect(all.filter(({ document }) => document === null).map(({ command }) => command)).toEqual(['batch']);
  });

  it.each(all)('of $command is JSON Schema 2020-12', ({ input, document }) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const schema of [input, document].filter((each) => each !== null)) {
      expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(ajv.validateSchema(schema)).toBe(true);
    }
  });

  it('is as in the golden catalogue, where each part that several documents have is once', async () => {
    const parts = new Map<string, unknown>();
    const alone = all.map(({ command, input, document }) => {
      const { $defs, ...rest } = document ?? {};
      for (const [name, part] of Object.entries(partsOf($defs))) {
        expect(parts.get(name) ?? part).toEqual(part);
        parts.set(name, part);
      }
      return { command, input, document: document && rest };
    });
    const catalogue = {
      commands: alone,
      $defs: Object.fromEntries([...parts].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    };
    await expect(`${JSON.stringify(catalogue, null, 1)}\n`).toMatchFileSnapshot('./golden/catalogue.json');
  });

  it('prints one command as a schema that a validator takes', async () => {
    const { out } = await cli.run('schema open --only document');
    expect(JSON.parse(out)).toEqual(documentSchemaOf('open'));
    const whole = JSON.parse((await cli.run('schema open')).out);
    expect(Object.keys(whole)).toEqual(['command', 'input', 'document']);
  });

  it('of a group that is a command too is that of the command alone with --only, and takes quoted words', async () => {
    const alone = async (words: readonly string[]) =>
      JSON.parse((await cli.run(['schema', ...words, '--only', 'document'])).out);
    expect(await alone(['journal'])).toEqual(documentSchemaOf('journal'));
    expect(await alone(['journal export'])).toEqual(documentSchemaOf('journal export'));
    expect((await alone(['profile']))[0]).toEqual({
      command: 'profile add',
      document: documentSchemaOf('profile add'),
    });
  });

  it('of a group has each of its commands', async () => {
    expect((await described('profile')).map(({ command }) => command)).toContain('profile add');
    expect((await described('profile add')).map(({ command }) => command)).toEqual(['profile add']);
    expect((await described('journal')).map(({ command }) => command)[0]).toBe('journal');
  });

  it.each([
    ['schema opne', 'Did you mean open?'],
    ['schema open --only both', 'input, document'],
    ['schema --only input', '--only needs a command.'],
  ])('hedge %s is a usage error', async (words, hint) => {
    const { code, err } = await cli.run(words);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });

  it('describes the object of a line of a batch: its fields are those that a line takes', async () => {
    const [open] = await described('open');
    const properties = Object.keys(open?.input?.properties ?? {});
    expect(properties).toEqual(
      expect.arrayContaining(['market', 'side', 'notional_usd', 'tenor_days', 'deal_id']),
    );
    const line = { command: 'open', nonsense: 'x' };
    const { err } = await cli.run(['batch', '-'], { stdin: `${JSON.stringify(line)}\n` });
    for (const name of properties) expect(err).toContain(name);
  });

  it('has branches, and a document takes some of them', () => {
    const schema = documentSchemaOf('halt') ?? {};
    const meta = { schema: 1, command: 'halt', profile: null, environment: null, at: '2026-11-25T09:00:00Z' };
    const taken = branchesOf(schema, {
      data: { halted: false, halt: null, before: null },
      error: null,
      meta,
    });
    const declared = declaredBranches(schema);
    expect(declared).toEqual(expect.arrayContaining([...taken]));
    expect(declared.length).toBeGreaterThan(taken.length);
    expect(taken.filter((branch) => branch.includes('desks'))).toEqual([
      expect.stringMatching(/desks absent$/),
    ]);
  });

  it('notices a document that is not as it says', () => {
    const meta = { schema: 1, command: 'halt', profile: null, environment: null, at: '2026-11-25T09:00:00Z' };
    const data = { halted: false, halt: null, before: null };
    expect(() => checkDocument({ data, error: null, meta })).not.toThrow();
    expect(() => checkDocument({ data: { ...data, more: 1 }, error: null, meta })).toThrow('halt');
    expect(() => checkDocument({ data: { halted: false }, error: null, meta })).toThrow('halt');
  });
});

describe('hedge help --json', () => {
  it('has the commands, the options, the exit codes and the error codes with their effect and retry', async () => {
    const data = await helpOf('help --json');
    expect(data.commands?.map(({ name }) => name)).toEqual(commands.map(({ name }) => name));
    expect(data.error_codes?.map(({ code }) => code)).toEqual(OWN_CODES);
    expect(data.error_codes).toContainEqual({
      code: 'outcome_unknown',
      effects: ['none', 'unknown'],
      retries: ['later', 'after_check', 'same_key'],
    });
    expect(data.exit_codes).toContainEqual(expect.objectContaining({ code: '7' }));
    await expect(
      `${JSON.stringify({ options: data.options, exit_codes: data.exit_codes, error_codes: data.error_codes }, null, 1)}\n`,
    ).toMatchFileSnapshot('./golden/codes-and-options.json');
  });

  it('of a command has that command, and of a group each of its own', async () => {
    const named = async (words: string) => (await helpOf(words)).commands?.map(({ name }) => name);
    expect(await named('help quote --json')).toEqual(['quote']);
    expect(await named('quote --help --json')).toEqual(['quote']);
    expect(await named('help profile add --json')).toEqual(['profile add']);
    expect(await named('help journal --json')).toContain('journal halts');
    expect(await named('help recovery --json')).toBeUndefined();
  });
});
