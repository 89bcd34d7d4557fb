/** How the scripts of completion are written down: text with a shell's own `${` in it, and words in its quotes. */

/** As it stands, but for `$\{`, which is a shell's own `${`. */
export const shellText = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw(parts, ...values).replaceAll(String.raw`$\{`, '${');

/** In bash and zsh. */
export const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A key of the tables as a pattern of `case` in bash and zsh: a star at either end stands for anything. */
export function pattern(key: string): string {
  if (key.startsWith('* ')) return `*${single(key.slice(1))}`;
  return key.endsWith(' *') ? `${single(key.slice(0, -1))}*` : single(key);
}

/** The arms of a `case` in bash and zsh that set `name`. */
export const arms = (entries: readonly { keys: readonly string[]; gives: string }[], name: string): string =>
  entries
    .map(({ keys, gives }) => `    ${keys.map(pattern).join(' | ')}) ${name}=${single(gives)} ;;\n`)
    .join('');
