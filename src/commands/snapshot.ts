/** `hedge snapshot` */
import { NOTE_OPTION, readNote } from '../args/shared-options.ts';
import { snapshotDocument, viewSnapshot } from '../output/views/snapshot.ts';
import { snapshotFigures } from '../readings/snapshot-figures.ts';
import { readWholeAccount, saveSnapshot } from '../readings/take-snapshot.ts';
import { defineCommand } from './define.ts';

export const snapshot = defineCommand({
  name: 'snapshot',
  summary: 'Record account, positions, open hedges and mids in the journal',
  description:
    'For cron, once a day or more often: hedge report measures from one snapshot to another, and hedge export books the time between them. Sends no action. The record stays on this machine, in the chain of the journal.\n\nNet asset value is the free balance, the amount that closing every position returns, and the amount reserved for orders in flight. hedge report, reconcile and export record such a reading too, unless --no-save is given. More: hedge help books.',
  options: [NOTE_OPTION],
  examples: [
    { line: 'hedge snapshot', shows: 'net asset value, recorded' },
    { line: 'hedge snapshot -q --note "end of day" > /dev/null', shows: 'for cron, which mails errors only' },
    { line: 'hedge snapshot --query data.derived.net_asset_value_usdc', shows: 'only the number, recorded' },
  ],
  read: (raw) => ({ note: readNote(raw) }),
  async run(context, { note }) {
    const { selected } = await context.profileContext();
    const readContext = await context.readContext();
    const account = await readWholeAccount(readContext, { profile: selected ?? '', note });
    const finding = await saveSnapshot(readContext, account.record);
    return {
      value: { account, snapshot: snapshotFigures(account.record) },
      servedAt: account.positionFacts.servedAt,
      finding,
    };
  },
  document: snapshotDocument,
  view: viewSnapshot,
});
