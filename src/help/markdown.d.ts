/** The text of a Markdown file, put in by the bundler (.build/help.mjs) and by Vite. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
