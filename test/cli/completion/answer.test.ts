/** What `hedge __complete` answers, over the commands as they are declared. */
import { describe, expect, it } from 'vitest';
import { completeLine, completeWords } from '../../../src/cli/completion/answer.ts';
import { commandLineModel } from '../../../src/cli/completion/model.ts';
import type { NameSource } from '../../../src/commands/define.ts';
import { ENDPOINTS } from '../../spec/rules.ts';

const NAMES: Readonly<Record<NameSource, readonly string[]>> = {
  markets: ['USDTNGN'],
  hedges: ['hdg_1', 'hdg_2'],
  deals: ['PAY-1', 'pay-2'],
  actions: ['00000000000000a1', '00000000000000a2'],
  unresolved: ['00000000000000a2', 'PAY-1'],
  profiles: ['practice', 'desk'],
  operators: ['ada', 'Bo'],
};

/** As the specification lists them, without those that need an ID. */
const pathsOf = (wanted: 'GET' | 'POST'): readonly string[] =>
  ENDPOINTS.filter(({ method, path }) => method === wanted && !path.includes('{')).map(({ path }) => path);

const model = await commandLineModel();

function asked() {
  const profiles: string[] = [];
  const sources = {
    model,
    names: async (of: readonly NameSource[], profile: string) => {
      profiles.push(profile);
      return of.flatMap((source) => NAMES[source]).map((name) => ({ name, about: `about ${name}` }));
    },
  };
  return { sources, profiles };
}

const lines = (text: string): readonly string[] => text.split('\n').slice(0, -1);
const wordsIn = (text: string): readonly string[] => lines(text).map((line) => line.split('\t')[0] ?? '');
/** Words as a shell of zsh or fish hands them over; the last one is at the cursor. */
const offered = async (line: string): Promise<readonly string[]> =>
  wordsIn(await completeWords(line.split(' '), asked().sources));
const offeredInBash = async (line: string): Promise<readonly string[]> =>
  wordsIn(await completeLine(line, asked().sources));

describe('the answer to a completion script', () => {
  it('is a line for each word: the word, a tab and its summary', async () => {
    const found = lines(await completeWords(['practice', ''], asked().sources));
    expect(found.length).toBeGreaterThan(3);
    for (const line of found) expect(line).toMatch(/^[a-z]+\t\S.*$/);
    expect(lines(await completeWords(['hedges', ''], asked().sources))[0]).toBe('hdg_1\tabout hdg_1');
  });

  it.each<[line: string, words: readonly string[]]>([
    ['quote ', ['USDTNGN']],
    ['quote USDTNGN ', ['buy', 'sell']],
    ['quote USDTNGN buy 10k --tenor ', ['1', '3', '7', 'all']],
    ['quote USDTNGN buy 10k -t ', ['1', '3', '7', 'all']],
    ['quote USDTNGN buy 10k --tenor 3,', ['3,1', '3,7', '3,all']],
    ['quote USDTNGN buy 10k --tenor=3,', ['--tenor=3,1', '--tenor=3,7', '--tenor=3,all']],
    ['open USDTNGN buy 10k --tenor ', ['1', '3', '7']],
    ['open --deal-id ', []],
    ['hedges --deal-id ', ['PAY-1', 'pay-2']],
    ['hedges ', ['hdg_1', 'hdg_2', 'PAY-1', 'pay-2']],
    ['hedges --status ', ['submitting', 'submitted', 'filled', 'failed', 'closed']],
    ['history --by ', ['day', 'week', 'month', 'market', 'side']],
    ['close USDTNGN buy --despite PAY-1,', ['PAY-1,00000000000000a2']],
    ['doctor --columns ', []],
    ['resume ', ['00000000000000a2', 'PAY-1']],
    ['check ', ['00000000000000a1', '00000000000000a2', 'hdg_1', 'hdg_2', 'PAY-1', 'pay-2']],
    ['journal --action ', ['open', 'add', 'reduce', 'close']],
    ['price USDTNGN USDTNGN ', ['USDTNGN']],
    ['profile use ', ['practice', 'desk']],
    ['profile add ', []],
    ['profile add x --store=', ['--store=file', '--store=keychain']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['api ', ['GET', 'POST']],
    ['api POST /', pathsOf('POST')],
    ['api GET /', pathsOf('GET')],
    ['--output ', ['table', 'json', 'jsonl', 'csv']],
    ['--expect-env=', ['--expect-env=live', '--expect-env=sandbox', '--expect-env=practice']],
    ['batch ', [':files']],
    ['profile add x --key-file ', [':files']],
    ['profile add x --key-file=', [':files']],
    ['halt why ', []],
    ['quote USDTNGN buy 10k -- ', []],
  ])('hedge %s', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it.each([
    ['hedge account --columns open_', ['open_exposure_usd', 'open_positions']],
    ['hedge account --columns open_positions,open_', ['open_positions,open_exposure_usd']],
    ['hedge account --columns=open_positions,open_', ['--columns=open_positions,open_exposure_usd']],
    ['hedge hedges --columns deal', ['deal_id']],
    ['hedge --columns ', []],
  ])('for %j is the columns of the list', async (line, words) => {
    expect(await offeredInBash(line)).toEqual(words);
  });

  it('for the first word is every command, and help; after help the topics too', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['quote', 'open', 'journal', 'help']));
    expect(await offered('help ')).toEqual(expect.arrayContaining(['quote', 'exit-codes', 'topics']));
    expect(await offered('--profile practice --json profile ')).toContain('add');
  });

  it('for a dash is every option that still applies', async () => {
    expect(await offered('close USDTNGN buy --yes -')).toEqual(
      expect.arrayContaining(['--if-open', '--dry-run', '--profile', '--help']),
    );
    expect(await offered('close USDTNGN buy --yes -')).not.toContain('--yes');
    expect(await offered('close USDTNGN buy -y -')).not.toContain('--yes');
    expect(await offered('close -')).not.toContain('--tenor');
    expect(await offered('markets --json -')).not.toContain('--csv');
    expect(await offered('profile limit desk --read-only -')).not.toContain('--no-read-only');
    expect(await offered('api POST /quotes --raw-field a=b -')).toContain('--raw-field');
    expect(await offered('api GET /markets -')).not.toContain('--data');
    expect(await offered('markets -')).not.toContain('--version');
    expect(await offered('markets -- -')).toEqual([]);
  });

  it('for a command that takes no more operands is its options', async () => {
    expect(await offered('quote USDTNGN buy 10k ')).toContain('--tenor');
  });

  it('is empty or options for words that are the names of fields of every object', async () => {
    for (const word of ['__proto__', 'constructor', 'toString']) {
      expect(await offered(`${word} --x ${word}`)).toContain('--json');
      expect(await offered(`profile ${word} `)).toContain('--json');
    }
  });

  it('asks for names under the profile that the line gives', async () => {
    for (const [line, profile] of [
      ['quote ', ''],
      ['--profile desk quote ', 'desk'],
      ['quote --profile=desk ', 'desk'],
      ['price -- --profile=desk ', ''],
    ] as const) {
      const { sources, profiles } = asked();
      await completeWords(line.split(' '), sources);
      expect(profiles[0]).toBe(profile);
    }
  });

  it('repeats nothing of a line that a shell or a terminal could take for more than text', async () => {
    for (const prefix of ['$(x),', '\u001b[2J,', 'a b,', '`x`,', '\u202e,'])
      expect(await completeWords(['close', 'USDTNGN', 'buy', '--despite', prefix], asked().sources)).toBe('');
  });
});

describe('the answer to bash', () => {
  it.each<[line: string, words: readonly string[]]>([
    ['hedge quo', ['quote']],
    ['  h  quo', ['quote']],
    ['hedge \'quote\' "USDTNGN" s\\ell', ['sell']],
    ['hedge quote "US', ['USDTNGN']],
    ["hedge quote 'usd", ['USDTNGN']],
    ["hedge --profile 'a b' quote ''", ['USDTNGN']],
    ['hedge quote USDTNGN buy 10k --tenor=1,A', ['--tenor=1,all']],
    ['hedge hedges pay', ['pay-2']],
    ['hedge hedges Pay', ['PAY-1', 'pay-2']],
    ['hedge quote --JS', []],
    ['hedge quote --js', ['--json']],
    ['hedge batch x', [':files']],
  ])('%s', async (line, words) => {
    expect(await offeredInBash(line)).toEqual(words);
  });
});
