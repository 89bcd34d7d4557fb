import { describe, expect, it } from 'vitest';
import { hintBlocks } from '../../src/output/blocks.ts';
import { renderHuman } from '../../src/output/render-human.ts';

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
  });
});
