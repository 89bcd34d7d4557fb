/** One action of the journal on a screen: its steps, each time in the profile's zone. */
import { describe, expect, it } from 'vitest';
import { isOfAction } from '../../../src/journal/records.ts';
import { viewJournalAction } from '../../../src/output/views/journal-action.ts';
import { actionsOf, FILLED, FOUND, recordsOf, SENDING, UNKNOWN } from '../../journal/records.ts';
import { shown } from './shown.ts';

describe('the steps of an action in the journal', () => {
  it.each([false, true])('have every time in the zone of the profile; with -v: %s', (verbose) => {
    const steps = recordsOf('7c1e', { deal_id: 'PAY-1' }, SENDING, UNKNOWN, FOUND, FILLED);
    const [action] = actionsOf(steps);
    if (action === undefined) throw new Error('no action');
    const lines = shown(viewJournalAction({ action, steps: steps.filter(isOfAction), selected: 'desk' }), {
      verbose,
    });
    const text = lines.join(' ').replace(/\s+/g, ' ');
    expect(text).toMatch(
      /accepted: found at the service, hdg_9, provisional until \w{3} 20 Nov 13:05:00 WAT/,
    );
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z/);
  });
});
