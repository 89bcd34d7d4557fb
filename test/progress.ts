/** How far a run is, a line every ten seconds, where no terminal shows it. */
import type { Reporter } from 'vitest/node';

const EVERY_MS = 10_000;

export class Progress implements Reporter {
  #files = 0;
  #ended = 0;
  #began = 0;
  #said = 0;

  onTestRunStart(files: readonly unknown[]): void {
    this.#files = files.length;
    this.#began = this.#said = performance.now();
  }

  onTestModuleEnd(): void {
    this.#ended += 1;
    const now = performance.now();
    if (process.stdout.isTTY || now - this.#said < EVERY_MS) return;
    this.#said = now;
    const seconds = Math.round((now - this.#began) / 1_000);
    process.stderr.write(`${this.#ended} of ${this.#files} test files, ${seconds} s\n`);
  }
}
