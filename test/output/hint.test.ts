import { array, assert, property, stringMatching, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { andThen, hintText, inOneLine, say, sentenceText, shell, step } from '../../src/domain/hint.ts';
import { type Hint, type NextStep, OrderFailedError, UsageError } from '../../src/errors.ts';
import { hintBlocks } from '../../src/output/blocks.ts';
import { type HumanView, renderErrorHuman, renderHuman } from '../../src/output/render-human.ts';
import { errorDocument } from '../../src/output/render-json.ts';

const viewOf = (width: number): HumanView => ({ width, colour: 0, unicode: true, zone: 'UTC', now: 0 });
const shown = (hint: Hint, width: number): string[] =>
  renderHuman(hintBlocks(hint), viewOf(width)).trimEnd().split('\n');

describe('commands that go on', () => {
  const HINT = [
    'Not a terminal.',
    step(shell`hedge --profile practice check 3327`, 'look up; send nothing'),
    step(
      shell`hedge --profile practice resume 3327`,
      'look up, then ask before sending again with the same key',
    ),
  ];

  it('have their own column, and what they do is wrapped under itself', () => {
    expect(shown(HINT, 80)).toEqual([
      'Not a terminal.',
      'hedge --profile practice check 3327     look up; send nothing',
      'hedge --profile practice resume 3327    look up, then ask before sending again',
      '                                        with the same key',
    ]);
  });

  it('are shown above what they do if the window is narrow, and are never cut', () => {
    expect(shown(HINT, 50)).toEqual([
      'Not a terminal.',
      'hedge --profile practice check 3327',
      '    look up; send nothing',
      'hedge --profile practice resume 3327',
      '    look up, then ask before sending again with',
      '    the same key',
    ]);
    const resolve = shell`hedge journal resolve 3327 --as executed --reason TEXT`;
    expect(shown(step(resolve, 'your word'), 40)).toEqual([
      'hedge journal resolve 3327 --as executed --reason TEXT',
      '    your word',
    ]);
  });

  it('are all shown, also one without a description next to one that has it', () => {
    const mixed = [step(shell`hedge wait b18e`), step(shell`--despite b18e`, 'both may execute')];
    for (const width of [80, 20]) expect(shown(mixed, width)[0]).toBe('hedge wait b18e');
    expect(hintText(mixed)).toBe('hedge wait b18e\n--despite b18e     both may execute');
  });

  it('keep the blanks of a deal ID', () => {
    const wait = shell`hedge wait ${'PAY    1'}`;
    expect(shown(step(wait, 'waits'), 80)).toEqual([`hedge wait 'PAY '" "' '" "'1'    waits`]);
    expect(shown(step(wait), 10)).toEqual([`hedge wait 'PAY '" "' '" "'1'`]);
  });

  it.each([
    'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --ensure --retry-failed --max-cost-bps 50',
    'hedge wait hdg_01M83DQTF9D9ED81',
    'export HEDGE_ACCOUNT=LABEL',
  ])(
    'stay on one line without a description too, and have no blanks at the end in a document: %s',
    (command) => {
      const hint = ['To retry, when the venue is up again and the price is good:', step(command.split(' '))];
      expect(shown(hint, 20).at(-1)).toBe(command);
      expect(errorDocument(new UsageError('No.', hint)).hint?.split('\n').at(-1)).toBe(command);
    },
  );

  it('are told from sentences, which break', () => {
    expect(
      shown(say`To see it: ${shell`hedge open USDTNGN buy 10000 --tenor 3`}`, 30).length,
    ).toBeGreaterThan(1);
  });

  it('are one line each of a document, whatever their words', () => {
    const word = stringMatching(/^[a-z'-]{1,8}(?: {1,6}[a-z']{1,5}){0,3}$/);
    const rows = array(tuple(array(word, { minLength: 1 }), stringMatching(/^[a-z ]{0,9}$/)), {
      minLength: 1,
    });
    assert(
      property(rows, (each) => {
        const steps: NextStep[] = each.map(([words, does]) => step(words, does));
        expect(hintText(['A sentence.', ...steps]).split('\n')).toHaveLength(each.length + 1);
      }),
    );
  });
});

describe('a sentence', () => {
  const see = say`To see it: ${shell`hedge hedges ${"o'clock"}`}.`;

  it('quotes the words of its commands for a shell, and places them as the screen does', () => {
    expect(sentenceText(see)).toBe(`To see it: hedge hedges 'o'"'"'clock'.`);
    expect(sentenceText(see, ([program = '', ...words]) => [program, '--profile', 'desk', ...words])).toBe(
      `To see it: hedge --profile desk hedges 'o'"'"'clock'.`,
    );
  });

  it('follows the last one of a hint, but no command', () => {
    expect(hintText(andThen(['One.', 'Two.'], see))).toBe(`One.\nTwo. ${sentenceText(see)}`);
    expect(hintText(andThen(step(shell`hedge check`), 'Then that.'))).toBe('hedge check\nThen that.');
    expect(hintText(andThen([], 'Alone.'))).toBe('Alone.');
  });

  it('has all of a hint where there is one line for it', () => {
    expect(sentenceText(inOneLine(['One.', see, step(shell`hedge check`)])).trimEnd()).toBe(
      `One. ${sentenceText(see)} hedge check`,
    );
  });
});

describe('the words above the command that repeats an order', () => {
  const failed = new OrderFailedError({
    what: 'FAILED: order failed.',
    meaning: 'Nothing was opened.',
    hint: step(shell`hedge open USDTNGN buy 10000 --tenor 3`, '', 'To retry:'),
  });

  it('end the paragraph above it on a screen, and are in no document', () => {
    expect(renderErrorHuman(failed, viewOf(80))).toBe(
      'FAILED: order failed.\nNothing was opened. To retry:\nhedge open USDTNGN buy 10000 --tenor 3\n',
    );
    expect(errorDocument(failed)).toMatchObject({
      message: 'FAILED: order failed. Nothing was opened.',
      hint: 'hedge open USDTNGN buy 10000 --tenor 3',
    });
  });

  it('go with the command when another takes its place', () => {
    const others = failed.with({ hint: 'The next commands for each are shown above.' });
    expect(renderErrorHuman(others, viewOf(80))).toContain('\nNothing was opened.\n');
  });
});
