import { array, assert, property, stringMatching, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandLine, commandLines, readHint } from '../../src/domain/hint-lines.ts';
import { UsageError } from '../../src/errors.ts';
import { hintBlocks } from '../../src/output/hint-blocks.ts';
import { renderHuman } from '../../src/output/render-human.ts';
import { errorDocument } from '../../src/output/render-json.ts';

describe('commands that go on', () => {
  const HINT = [
    'Not a terminal.',
    'hedge --profile practice check 3327                                     look up; send nothing',
    'hedge --profile practice resume 3327    look up, then ask before sending again with the same key',
  ].join('\n');
  const shown = (hint: string, width: number): string[] =>
    renderHuman(hintBlocks(hint), { width, colour: 0, unicode: true, zone: 'UTC', now: 0 })
      .trimEnd()
      .split('\n');

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
    expect(shown(`hedge journal resolve 3327 --as executed --reason TEXT    your word`, 40)).toEqual([
      'hedge journal resolve 3327 --as executed --reason TEXT',
      '    your word',
    ]);
  });

  it('keep the blanks of a deal ID', () => {
    expect(shown("hedge wait 'PAY    1'    waits", 80)).toEqual(["hedge wait 'PAY    1'    waits"]);
    expect(shown(commandLine("hedge wait 'PAY    1'"), 10)).toEqual(["hedge wait 'PAY    1'"]);
  });

  it.each([
    'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --ensure --retry-failed --max-cost-bps 50',
    'hedge wait hdg_01M83DQTF9D9ED81',
    'export HEDGE_ACCOUNT=LABEL',
  ])(
    'stay on one line without a description too, and have no blanks at the end in a document: %s',
    (command) => {
      const hint = `To retry, when the venue is up again and the price is good:\n${commandLine(command)}`;
      expect(shown(hint, 20).at(-1)).toBe(command);
      expect(errorDocument(new UsageError('No.', hint)).hint?.split('\n').at(-1)).toBe(command);
    },
  );

  it('are told from sentences, which break', () => {
    expect(shown('To see it: hedge open USDTNGN buy 10000 --tenor 3', 30).length).toBeGreaterThan(1);
  });

  it('come back from a hint as they went in', () => {
    const word = stringMatching(/^[a-z'-]{1,8}(?: {1,6}[a-z']{1,5}){0,3}$/);
    const rows = array(tuple(word, stringMatching(/^(?:[a-z]{1,5}(?: [a-z]{1,5}){0,3})?$/)), {
      minLength: 1,
    });
    assert(
      property(rows, (each) => {
        const read = readHint(['A sentence.', commandLines(each)].join('\n'));
        expect(read).toEqual([
          { sentence: 'A sentence.' },
          ...each.map(([command, does]) => ({ command, does })),
        ]);
      }),
    );
  });
});
