import { describe, expect, it } from 'vitest';
import { confirmWith } from '../../src/commands/trade-action.ts';
import type { Environment } from '../../src/domain/vocabulary.ts';
import { UsageError } from '../../src/errors.ts';
import { type Block } from '../../src/output/blocks.ts';
import { choosePrompter } from '../../src/terminal/inquirer-prompter.ts';
import type { Preview } from '../../src/trading/trading-context.ts';
import { eventually } from '../support/eventually.ts';
import { hinting } from '../support/hints.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';
import { planOf } from '../trading/facts.ts';

const preview = (line: string, openedElsewhere: readonly string[] = []): Preview => ({
  plan: planOf(line),
  warnings: [],
  openedElsewhere,
  changed: undefined,
});

/** A desk at a terminal where `typed` is answered, or a desk with nobody there. */
function confirmation({
  environment = 'live',
  profile = 'desk',
  typed,
}: {
  environment?: Environment;
  profile?: string;
  typed?: string;
} = {}) {
  const attended = typed !== undefined;
  const { terminal, type, err } = recordingTerminal({ isTTY: attended, width: 200 });
  const shown: (readonly Block[])[] = [];
  const prompter = choosePrompter(terminal, new AbortController().signal);
  const show = async (blocks: readonly Block[]): Promise<void> => void shown.push(blocks);
  const confirm = confirmWith({ show, prompter }, { environment, profile, attended });
  return {
    shown,
    err,
    async confirm(what: Preview, options = { yes: false }) {
      let settled = false;
      const answer = confirm(what, options).finally(() => (settled = true));
      if (typed !== undefined) {
        await eventually(() => settled || /\(y\/N\)|Type "/.test(err()));
        type(`${typed}\r`);
      }
      return answer;
    },
  };
}

describe('confirming', () => {
  it.each([
    ['live', 'open USDTNGN buy 50k', [], 'buy 50k', true],
    ['live', 'open USDTNGN buy 50k', [], '', false],
    ['live', 'add USDTNGN buy 10k', [], 'BUY 10,000', true],
    ['live', 'reduce USDTNGN buy 10k', [], 'y', true],
    ['live', 'close USDTNGN buy', [], '', false],
    ['live', 'close USDTNGN buy', ['hdg_A'], 'usdtngn', true],
    ['live', 'close USDTNGN buy', ['hdg_A'], '', false],
    ['sandbox', 'open USDTNGN buy 50k', [], 'y', true],
    ['practice', 'close USDTNGN buy', ['hdg_A'], 'yes', true],
    ['practice', 'open USDTNGN buy 50k', [], 'n', false],
    ['practice', 'open USDTNGN buy 50k', [], '', false],
  ] as const)('%s, %s %j, answered %j: %s', async (environment, line, elsewhere, typed, dealt) => {
    const desk = confirmation({ environment, typed });
    expect(await desk.confirm(preview(line, elsewhere))).toBe(dealt);
    expect(desk.shown).toHaveLength(1);
    expect(desk.shown[0]).not.toEqual([]);
  });

  it('with --yes shows the preview on a terminal and only the environment line without one, and asks neither', async () => {
    const attended = confirmation({ typed: 'n' });
    expect(await confirmSilently(attended)).toBe(true);
    expect(attended.shown[0]).not.toEqual([]);
    const unattended = confirmation();
    expect(await confirmSilently(unattended)).toBe(true);
    expect(unattended.shown).toEqual([[]]);
    expect(attended.err() + unattended.err()).toBe('');
  });

  it.each(['live', 'sandbox', 'practice'] as const)(
    '%s without --yes and with no terminal is a usage error, not a yes',
    async (environment) => {
      const desk = confirmation({ environment });
      const error = await desk.confirm(preview('close USDTNGN buy')).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toMatchObject({ hint: hinting('Use --yes') });
    },
  );
});

async function confirmSilently(desk: ReturnType<typeof confirmation>): Promise<boolean> {
  return desk.confirm(preview('open USDTNGN buy 50k'), { yes: true });
}
