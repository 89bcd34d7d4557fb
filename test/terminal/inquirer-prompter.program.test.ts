import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { choosePrompter } from '../../src/terminal/inquirer-prompter.ts';
import type { Prompter } from '../../src/terminal/prompter.ts';
import { moduleArgs } from '../support/built.ts';
import { hinting } from '../support/hints.ts';
import { openScreen } from '../support/pty.ts';
import { coloursIn, recordingTerminal } from '../support/recording-terminal.ts';

const never = new AbortController().signal;
const question = { message: 'API key', otherwise: '--key-file FILE' };

describe('a question with nobody to answer it', () => {
  const asked: readonly [string, (prompter: Prompter) => Promise<unknown>][] = [
    ['hidden', (prompter) => prompter.hidden(question)],
    ['confirm', (prompter) => prompter.confirm(question)],
    ['select', (prompter) => prompter.select(question, [{ name: 'only one', value: 1 }])],
    ['input', (prompter) => prompter.input(question)],
    ['typed', (prompter) => prompter.typed(question, 'buy 50000', () => true)],
  ];
  const nobody = [
    ['in a pipe', {}],
    ['with input from a pipe', { isTTY: { stdout: true, stderr: true } }],
    ['with standard error in a file', { isTTY: { stdin: true, stdout: true } }],
    ['on a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }],
  ] as const;

  it.each(nobody)('%s it is a usage error that names the option, whatever its kind', async (_, options) => {
    const { terminal, out, err } = recordingTerminal(options);
    const prompter = choosePrompter(terminal, never);
    for (const [kind, ask] of asked) {
      const error = await ask(prompter).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UsageError);
      expect({ kind, error }).toMatchObject({
        kind,
        error: {
          what: 'Not a terminal; cannot ask: API key',
          hint: hinting('Use --key-file FILE'),
        },
      });
    }
    expect(out() + err()).toBe('');
  });
});

/** A program that asks one question on a real terminal and prints what came of it as its result. */
const asking = (call: string): string[] =>
  moduleArgs(`
    import { choosePrompter } from 'dist/terminal/inquirer-prompter.js';
    import { watchSignals } from 'dist/terminal/signals.js';
    import { openTerminal } from 'dist/terminal/streams.js';
    const watch = watchSignals(process);
    const terminal = openTerminal({ process, env: process.env });
    const prompter = choosePrompter(terminal, watch.signal);
    const question = { message: 'Remove \\u001b]0;owned\\u0007 desk?', otherwise: '--yes' };
    try {
      const answer = await ${call};
      await terminal.writeResult('answer ' + JSON.stringify(answer) + '\\n');
    } catch (error) {
      terminal.writeNote(error.name + ' ' + error.code + ': ' + error.message);
      await terminal.drained();
      if (watch.caught()) watch.dieBy(watch.caught());
      process.exitCode = 10;
    }
  `);
const ask = (call: string) => openScreen(process.execPath, asking(call), { columns: 100 });

describe('a question at a terminal', () => {
  it.each([
    ['yes', '\r', 'y\r', 'answer true'],
    ['no', '\r', 'n\r', 'answer false'],
    ['nothing, which is no', '\r', '\r', 'answer false'],
    ['a word of yes', '\r', 'YES\r', 'answer true'],
    ['TAB and Enter, which is nothing typed', '\r', '\t\r', 'answer false'],
    ['any number of TABs', '\r', '\t\t\t\r', 'answer false'],
    ['a pasted TAB', '\r', '\u001b[200~\t\u001b[201~\r', 'answer false'],
    ['TABs around what is typed', '\r', '\ty\t\r', 'answer true'],
  ])('confirm takes %s', async (_, __, typed, answer) => {
    const screen = ask('prompter.confirm(question)');
    await screen.until('Remove \ufffd desk? (y/N)');
    screen.send(typed);
    await screen.until(answer);
    expect((await screen.exit).code).toBe(0);
    expect(screen.raw()).not.toContain('owned');
  });

  it.each(['maybe', 'ye', 'yess'])('confirm does not take %j, and empties the line', async (other) => {
    const screen = ask('prompter.confirm(question)');
    await screen.until('(y/N)');
    screen.send(`${other}\r`);
    await screen.until('Type y or n.');
    screen.send('y\r');
    expect(await screen.until('answer')).toContain('answer true');
  });

  it.each([
    ['typed', "prompter.typed(question, 'buy 50000', (it) => it === 'buy 50000')", 'false'],
    ['input', 'prompter.input(question)', '""'],
  ])('%s takes TAB as nothing typed', async (_, call, answer) => {
    const screen = ask(call);
    await screen.until('desk?');
    screen.send('\t\t\r');
    expect(await screen.until(/^answer/m)).toContain(`answer ${answer}`);
  });

  it.each([
    ['confirm', 'prompter.confirm(question)', '(y/N)', 'y'],
    ['typed', "prompter.typed(question, 'buy 50000', (it) => it === 'buy 50000')", 'Type', 'buy 50000'],
  ])('%s reads a pasted line end as a no and a pasted word as typed', async (_, call, shows, yes) => {
    const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`;
    for (const lines of [pasted(`${yes}\r`), pasted(`ls\r${yes}\r`), `${yes}\rls\r`, `${yes}\r${yes}\r`]) {
      const screen = ask(call);
      await screen.until(shows);
      screen.send(lines);
      expect(await screen.until(/^answer/m)).toMatch(
        /Pasted line ends do not confirm\. Canceled\.\nanswer false/,
      );
    }
    const screen = ask(call);
    await screen.until(shows);
    screen.send(pasted(yes));
    screen.send('\r');
    expect(await screen.until(/^answer/m)).toContain('answer true');
    expect(screen.raw().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
      screen.raw().lastIndexOf('\u001b[?2004h'),
    );
  });

  it('a hidden answer never reaches the screen', async () => {
    const screen = ask(
      "prompter.hidden(question, (key) => (key.includes('_live_') ? undefined : 'not a key'))",
    );
    await screen.until('(not shown)');
    screen.send('wrong\r');
    await screen.until('> not a key');
    screen.send('\u0015hk_live_canary\r');
    expect(await screen.until('answer "hk_live_canary"')).toContain('answer "hk_live_canary"');
    expect(screen.raw().split('canary')).toHaveLength(2);
  });

  it('input says what will not do, empties the line, and takes what will', async () => {
    const screen = ask("prompter.input(question, (text) => (text === '7' ? undefined : '1, 3 or 7 days'))");
    await screen.until('desk?');
    screen.send('5\r');
    await screen.until('> 1, 3 or 7 days');
    screen.send('7\r');
    expect(await screen.until('answer "7"')).toContain('answer "7"');
  });

  it('an answer that does not fit next to its question is below it, and never broken in a word', async () => {
    const shown = '45,000,000.00 NGN, now 29,651.87 USD';
    const screen = ask(
      `prompter.input({ ...question, message: '${'headroom '.repeat(8)}', understood: () => '${shown}' })`,
    );
    await screen.until('headroom');
    screen.send('NGN 45m\r');
    expect((await screen.until(/^answer/m)).split('\n')).toContain(shown);
  });

  it('select breaks a description between words', async () => {
    const description = 'amount '.repeat(20).trim();
    const screen = ask(
      `prompter.select(question, [{ name: 'only', value: 1, description: '${description}' }])`,
    );
    await screen.until('only');
    expect(
      screen
        .screen()
        .filter((each) => each.startsWith('amount'))
        .every((each) => each.endsWith('amount')),
    ).toBe(true);
    expect(screen.screen().filter((each) => each.startsWith('amount'))).toHaveLength(2);
    screen.send('\r');
    await screen.until('answer 1');
  });

  it('select gives the value, not the name', async () => {
    const screen = ask(
      "prompter.select(question, [{ name: 'buy', value: { side: 'buy' } }, { name: 'sell', value: { side: 'sell' } }])",
    );
    await screen.until('sell');
    screen.send('\u001b[B\r');
    expect(await screen.until('answer {"side":"sell"}')).toContain('answer {"side":"sell"}');
  });

  it('select shows what cannot be chosen, with the reason, and does not take it', async () => {
    const screen = ask(
      "prompter.select(question, [{ name: 'USDTXYZ', value: 'x', disabled: '(halted)' }, { name: 'USDTNGN', value: 'n' }])",
    );
    await screen.until('USDTXYZ (halted)');
    screen.send('\u001b[A\r');
    await screen.until('This choice is not available.');
    screen.send('\u001b[B\r');
    expect(await screen.until('answer')).toContain('answer "n"');
  });

  describe('select among 1, 3 and 7 days', () => {
    const days = (disabled = '') =>
      ask(
        `prompter.select(question, [
          { name: '1 d  10.00', value: 1 },
          { name: '3 d  20.00', value: 3 ${disabled} },
          { name: '7 d  30.00', value: 7 },
        ])`,
      );

    it.each([
      ['1', 1],
      ['3', 3],
      ['7', 7],
      ['73', 3],
      ['37', 7],
      ['3\u001b[B', 7],
    ])('takes %j and Enter as %i days, never as the row of that place', async (keys, chosen) => {
      const screen = days();
      await screen.until('7 d');
      screen.send(`${keys}\r`);
      expect(await screen.until(/^answer/m)).toMatch(new RegExp(`answer ${chosen}$`, 'm'));
    });

    it.each([
      ['2', 3],
      ['0', 3],
      ['30', 7],
      ['12', 3],
    ])('takes %s and Enter as no choice, and the next arrow moves on from there', async (keys, next) => {
      const screen = days();
      await screen.until('7 d');
      screen.send(`${keys}\r`);
      screen.send('\u001b[B\r');
      expect(await screen.until(/^answer/m)).toContain(`answer ${next}`);
    });

    it('does not choose the row that is marked when the digit is of one that is not available', async () => {
      const screen = days(", disabled: '(exceeds your limit)'");
      await screen.until('7 d');
      screen.send('3\r');
      screen.send('7\r');
      expect(await screen.until(/^answer/m)).toContain('answer 7');
    });
  });

  it('typed wants the words themselves; an empty answer is no', async () => {
    const call = "prompter.typed(question, 'buy 50000', (given) => given === 'buy 50000')";
    const deals = ask(call);
    await deals.until('Type "buy 50000"');
    deals.send('y\r');
    await deals.until('or press Enter to cancel');
    deals.send('\u0015buy 50000\r');
    expect(await deals.until('answer true')).toContain('answer true');
    const stops = ask(call);
    await stops.until('Type "buy 50000"');
    stops.send('\r');
    expect(await stops.until('answer false')).toContain('answer false');
    const thinksAgain = ask(call);
    await thinksAgain.until('Type "buy 50000"');
    thinksAgain.send('y\r');
    await thinksAgain.until('or press Enter to cancel');
    thinksAgain.send('\r');
    expect(await thinksAgain.until('answer false')).toContain('answer false');
  });

  it('a question that is longer than the line is broken between words, and never in what is to be typed', async () => {
    const message = 'Close the whole side? Not all of it was opened from this machine.';
    const typed = `prompter.typed({ ...question, message: '${message}' }, 'USDTNGN', () => true)`;
    const screen = openScreen(process.execPath, asking(typed), { columns: 80 });
    expect(await screen.until('USDTNGN')).toContain('this machine.\nType "USDTNGN"');
    screen.send('usdtngn\r');
    expect(await screen.until('answer')).toContain('answer true');
    const confirm = `prompter.confirm({ ...question, message: '${message} Really?' })`;
    const narrow = openScreen(process.execPath, asking(confirm), { columns: 50 });
    expect(await narrow.until('y/N')).toContain('Close the whole side? Not all of it was opened\n');
    narrow.send('y\r');
    expect(await narrow.until('answer')).toContain('answer true');
  });

  it('Ctrl-C says that nothing was sent and dies by SIGINT, the cursor shown', async () => {
    const screen = ask('prompter.hidden(question)');
    await screen.until('(not shown)');
    screen.send('\u0003');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(screen.screen().join('\n')).toContain(
      'InterruptedError interrupted: Stopped by Ctrl-C. Nothing was sent.',
    );
    expect(screen.cursorHidden()).toBe(false);
  });

  it('Ctrl-D ends the question, and nothing waits for ever', async () => {
    const screen = ask('prompter.input(question)');
    await screen.until('desk?');
    screen.send('\u0004');
    expect(await screen.exit).toEqual({ code: 10, signal: null });
    expect(screen.screen().join('\n')).toContain('StoppedError declined');
  });

  it('a TERM while a question is open ends it by TERM', async () => {
    const screen = ask('prompter.confirm(question)');
    await screen.until('(y/N)');
    screen.kill('SIGTERM');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGTERM' });
    expect(screen.screen().join('\n')).toContain('Nothing was sent.');
  });

  it('is drawn on standard error: a result in a file stays clean, two colour variables bring no warning', async () => {
    const script = '"$@" > /dev/null; echo " status $?"';
    const args = ['-c', script, 'sh', process.execPath, ...asking('prompter.confirm(question)')];
    const screen = openScreen('sh', args, { env: { NO_COLOR: '1', FORCE_COLOR: '1' } });
    await screen.until('(y/N)');
    screen.send('y\r');
    await screen.until('status 0');
    expect(screen.screen().join('\n')).not.toMatch(/answer|[Ww]arning/);
    expect(coloursIn(screen.raw())).toEqual([]);
  });
});
