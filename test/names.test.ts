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

/** Images and puns, in no name and in no part of one: a name is a word of the trade. */
const IMAGES = /^(?:weather|sky|strike|keeper|landing|road|brake|vantage|sighting|narrator|fate|ledger)s?$/;

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split(/[-_./]/);

const isImage = (name: string): boolean => wordsOf(name).some((word) => IMAGES.test(word));

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

  it('of exports, files and folders are no images', () => {
    expect(isImage('narratorOf')).toBe(true);
    expect(exported.filter(({ name }) => isImage(name))).toEqual([]);
    expect(files.map(({ name }) => name).filter(isImage)).toEqual([]);
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

/** A fragment that begins so names nothing: "Of an open only." */
const RIDDLE = /^(?:Of|With|What|As|Where)\b/;

/** The text of each comment; lines of `//` one below the other are one. */
const commentsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\/\*+([^]*?)\*\/|(?:(?<=^|\n|[;,{}()[\]] )[ \t]*\/\/[^\n]*(?:\n|$))+/g)].map(
    ([all, block]) =>
      (block ?? all)
        .replace(/^[ \t]*(?:\*|\/\/)/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
  );

const riddlesIn = (text: string): readonly string[] => commentsIn(text).filter((each) => RIDDLE.test(each));

const phrasesIn = (text: string): readonly string[] =>
  PHRASES.flatMap((phrase) => [...joined(text).matchAll(phrase)].map(([found]) => found.toLowerCase()));

const found = texts
  .map(({ name, text }) => ({ name, phrases: phrasesIn(text) }))
  .filter(({ phrases }) => phrases.length > 0);

describe('sentences', () => {
  it('are found over the end of a line, and questions are no phrases', () => {
    expect(phrasesIn('/** Prints what\n * is left. */ "What is the limit?"')).toEqual(['what is']);
  });

  it('of comments name the thing that they are about', () => {
    const text =
      '/** Of an open only. */\n/**\n * With a tail\n * of two lines.\n */\n// As it is,\n// Of course.\nlet a; // What for.\n';
    expect(riddlesIn(text)).toEqual([
      'Of an open only.',
      'With a tail of two lines.',
      'As it is, Of course.',
      'What for.',
    ]);
    expect(riddlesIn("/** Set for opens. Of the rest none. */ const of = '// Of a string';")).toEqual([]);
    expect(
      files.flatMap(({ name, text: source }) => riddlesIn(source).map((riddle) => `${name}: ${riddle}`)),
    ).toEqual([]);
  });

  it('of the program, its comments and its documents have no phrase that has to be read twice', () => {
    expect(found).toEqual([]);
  });
});
