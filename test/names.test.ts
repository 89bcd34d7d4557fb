import { basename } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { fileOf, filesOf, sourceFiles } from './support/source-files.ts';

const files = sourceFiles();

/** What a file declares and exports. A re-export has the name of the same thing. */
const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|type|interface|enum|namespace) (\w+)/gm;
const exported = files.flatMap(({ name: file, text }) =>
  [...new Set([...text.matchAll(DECLARATION)].map(([, name = '']) => name))].map((name) => ({ file, name })),
);

/** The former names, of which the standard ones are in use: no file, folder or export is called so. */
const FORMER_NAMES = `
  flow present memory evidence settle weather sky strike keeper door sitting landing begin bringTo takeOut keepHedge
  shapes answers refusal turns calls road road-direct road-pooled choose-road slow-down slow-downs heed standStill limit
  TimeIsUp read-failure final-error guessed unspecified prepare-action trust-list Dealing Looking Vantage
  Shown Watch Brake practice-house World Surroundings Examined learning remembered keys-from given-text given-file
  native-part at-once considered agree already-dealt ensure entry finish hedge-fates Fate tell-apart our-others late-news
  look Sighting write-down Said what-it-was-for could-not-look line-under-key guard-attendance guard-standing Ways
  key-life gone-lines add-up-history narrow narrowing fold ledger ways-on in-words kept-quote try-journal mayStand
  isDefiniteNo saying ending narrator open-parts stand-ins beside fixed plan-cut plan-growth as-typed
  after-intents growing-file durable-file clean without-keys places pasted-lines intent tell here`
  .trim()
  .split(/\s+/);

/** Words of those names that are in no name at all, not even as a part of it. */
const FORMER_WORDS = new Set(
  `weather sky strike keeper sitting landing road roads heed dealing vantage brake surroundings examined remembered
  fate fates sighting narrator ledger beside besides dealt`
    .trim()
    .split(/\s+/),
);

const asFileName = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase();
const wordsOf = (name: string): readonly string[] => asFileName(name).split(/[-_./]/);

/** `slow-down` is also `slowDown` and `SlowDown`; but `look` is not `Look`, nor `Watch` the command `watch`. */
const isFormer = (name: string): boolean =>
  FORMER_NAMES.includes(name) ||
  (asFileName(name).includes('-') && FORMER_NAMES.includes(asFileName(name))) ||
  wordsOf(name).some((word) => FORMER_WORDS.has(word));

function repeated<T>(all: readonly T[], key: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const byKey = new Map<string, T[]>();
  for (const one of all) byKey.set(key(one), [...(byKey.get(key(one)) ?? []), one]);
  return new Map([...byKey].filter(([, those]) => those.length > 1));
}

describe('names', () => {
  it('finds the names that it judges', () => {
    expect(exported.length).toBeGreaterThan(1000);
  });

  it('each mean one thing, wherever they are exported', () => {
    expect([...repeated(exported, ({ name }) => name).values()].flat()).toEqual([]);
  });

  it('of files are used once, outside the folders with one file a command, a resource or a topic', () => {
    const alone = files.filter(
      ({ name }) => !/^(?:commands|output\/views|help)\//.test(name) && basename(name) !== 'index.ts',
    );
    expect([...repeated(alone, ({ name }) => basename(name)).keys()]).toEqual([]);
  });

  it('of exports are none of the former ones', () => {
    expect(exported.filter(({ name }) => isFormer(name))).toEqual([]);
  });

  it('of files and folders are none of the former ones', () => {
    const former = files.filter(({ name }) => name.replace(/\.ts$/, '').split('/').some(isFormer));
    expect(former.map(({ name }) => name)).toEqual([]);
  });
});

/** The phrases of a sentence that has to be read twice. */
const PHRASES: readonly RegExp[] = [
  // As a noun clause: a question may ask "What is …?"
  /\bwhat is\b(?![\w ,'-]{0,60}\?)/gi,
  /\bthat which\b/gi,
  /\bof ours\b/gi,
  /\bwhoever\b/gi,
  /\banew\b/gi,
  /\bbesides?\b/gi,
  /\bstands\b/gi,
  /\b(?:is|are) told\b/gi,
  /\bmay be let go\b/gi,
  /\bmend(?:s|ed|ing)?\b/gi,
  /\bdearest\b/gi,
  /\bmay stand or not\b/gi,
];

const texts = [
  fileOf('README.md'),
  ...filesOf('src').map(({ name, text }) => ({ name: `src/${name}`, text })),
  ...filesOf('completions').map(({ name, text }) => ({ name: `completions/${name}`, text })),
];

/** The text with the lines of a comment or paragraph joined: a phrase may go on in the next line. */
const joined = (text: string): string => text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g, ' ');

const phrasesIn = (text: string): readonly string[] =>
  PHRASES.flatMap((phrase) => [...joined(text).matchAll(phrase)].map(([found]) => found.toLowerCase()));

const found = texts
  .map(({ name, text }) => ({ name, phrases: phrasesIn(text) }))
  .filter(({ phrases }) => phrases.length > 0);

describe('sentences', () => {
  it('are found over the end of a line, and questions are no phrases', () => {
    expect(phrasesIn('/** Prints what\n * is left. */ "What is the limit?"')).toEqual(['what is']);
  });

  it('of the program, its comments and its documents have no phrase that has to be read twice', () => {
    expect(found).toEqual([]);
  });
});
