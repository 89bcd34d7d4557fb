/** The colors of views. No meaning is in a color alone. */
import { Chalk, type ChalkInstance } from 'chalk';
import type { Environment } from '../domain/vocabulary.ts';
import type { Tone } from './blocks.ts';
/** Colors of a stream: 0 none, 1 sixteen, 2 two hundred and fifty-six, 3 all. */
export type PaintLevel = 0 | 1 | 2 | 3;

/** The tone of a cell, or an environment. */
export type Style = Tone | Environment;

export type Painter = (text: string, style: Style) => string;

const painters = new Map<PaintLevel, Painter>();

export function painterOf(level: PaintLevel): Painter {
  const known = painters.get(level);
  if (known !== undefined) return known;
  const chalk = new Chalk({ level });
  const styles: Readonly<Record<Style, ChalkInstance | undefined>> = {
    plain: undefined,
    strong: chalk.bold,
    dim: chalk.dim,
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    live: chalk.red.bold.inverse,
    sandbox: chalk.yellow.bold,
    practice: chalk.cyan.bold,
  };
  const paint: Painter = (text, style) => styles[style]?.(text) ?? text;
  painters.set(level, paint);
  return paint;
}
