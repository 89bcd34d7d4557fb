/**
 * Finds lookups by a word in plain objects: `table[word]`, where the type of the table lets any name be asked of it.
 * A name out of a union is the compiler's to check; arrays, Maps and classes are no such tables.
 */

export interface SourceFile {
  name: string;
  text: string;
}

export interface Lookup {
  file: string;
  /** `HINTS[code]`. */
  code: string;
}

/** Types that any name may be asked of, as an annotation begins with them. */
const OPEN = String.raw`Record<\s*string\b|\{\s*(?:readonly )?\[\w+: string\]:|z\.(?:infer|output|input)<`;

/** What stands in comments and in quotes is no code; templates stay, for there is code in them. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(?<!:)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

const all = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The open types and those that are named after them: `Fields`, `SomeRecord`, `Hedge`. */
function openTypes(texts: readonly string[]): string {
  const names = new Set<string>();
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    const named = String.raw`\b(?:type|interface) (\w+)(?:<[^=]*>)? (?:=|extends)\s*`;
    const pattern = new RegExp(`${named}(?:Readonly<|Partial<)*(?:${asPattern(names)})`, 'g');
    for (const text of texts) for (const name of all(text, pattern)) names.add(name);
  }
  return asPattern(names);
}

const asPattern = (names: ReadonlySet<string>): string =>
  [OPEN, ...[...names].map((name) => String.raw`\b${name}\b(?!\[[^\]]|[<.'])`)].join('|');

/** Names that a file annotates so: constants, parameters and fields, and the elements of lists of such. */
function openNames(text: string, types: string): readonly string[] {
  const annotated = (type: string): RegExp =>
    new RegExp(String.raw`\b(\w+)\??: (?:readonly )?(?:Readonly<|Partial<)*(?:${type})`, 'g');
  const generic = all(text, new RegExp(String.raw`<(\w+) extends (?:Readonly<)?(?:${types})`, 'g'));
  const names = [types, ...generic.map((name) => String.raw`${name}\b`)].flatMap((type) =>
    all(text, annotated(type)),
  );
  return [...names, ...names.map((name) => name.replace(/s$/, ''))];
}

/** Every lookup by anything but a literal that no check of the same name precedes in its file. */
export function findLookups(sources: readonly SourceFile[]): readonly Lookup[] {
  const files = sources.map(({ name, text }) => ({ name, text: codeOf(text) }));
  const types = openTypes(files.map(({ text }) => text));
  const anywhere = new Set(files.flatMap(({ text }) => openNames(text, types)));
  return files.flatMap(({ name, text }) => {
    const here = new Set(openNames(text, types));
    const imported = new Set(all(text, /^import \{([^}]*)\} from/gm).flatMap((list) => list.split(/[\s,]+/)));
    return [...text.matchAll(ACCESS)].flatMap(([, table = '', index = '']) => {
      const last = table.split('.').at(-1) ?? '';
      const isOpen = here.has(last) || ((table.includes('.') || imported.has(last)) && anywhere.has(last));
      const isChecked = text.includes(`Object.hasOwn(${table}, ${index})`);
      return isOpen && !isChecked && !FIXED.test(index) ? [{ file: name, code: `${table}[${index}]` }] : [];
    });
  });
}

/** `a.b[c]`, `a?.[b[c]]`. */
const ACCESS = /([\w$.?!]*\b[\w$]+)(?:\?\.)?\[([^\][]*(?:\[[^\]]*\][^\][]*)*)\]/g;
/** A literal; what stands between brackets in a type; nothing. */
const FIXED = /^(?:''|-?\d+|number|string|keyof .*|\w+: string|)$/;
