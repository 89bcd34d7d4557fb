/** The log of a desk as it would be later: its records are of earlier times. */
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import type { DeskOfMachines } from './desk-machines.ts';

const earlier = (at: string, ms: number): string => new Date(Date.parse(at) - ms).toISOString();

/**
 * The log as it would be after so long. `after`: the number of the last record that a machine has copied, which stays.
 * `isCutAfterSending`: the machine that was sending ended before it knew more.
 */
export async function setBack(
  { log }: DeskOfMachines,
  ms: number,
  { after = 0, isCutAfterSending = false }: { after?: number; isCutAfterSending?: boolean } = {},
): Promise<void> {
  const { owner } = log;
  const { rows } = await owner.query<{ seq: string; id: string; record: string; stamp: string }>(
    'SELECT seq, id, record, stamp FROM hedge.records ORDER BY seq',
  );
  const sending = rows.findIndex(({ record }) => JSON.parse(record).kind === 'sending');
  const last = isCutAfterSending ? sending : rows.length - 1;
  await owner.query('ALTER TABLE hedge.records DISABLE TRIGGER append_only; DELETE FROM hedge.records');
  let hash = NO_RECORD;
  for (const { seq, id, ...row } of rows.slice(0, last + 1)) {
    const [record, stamp] = [row.record, row.stamp].map((text) =>
      text.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (at) =>
        Number(seq) <= after ? at : JSON.stringify(earlier(JSON.parse(at), ms)),
      ),
    );
    if (record === undefined || stamp === undefined) continue;
    const prev = hash;
    hash = recordHash(prev, { id, record, stamp });
    await owner.query('INSERT INTO hedge.records VALUES ($1, $2, $3, $4, $5, $6)', [
      seq,
      id,
      record,
      stamp,
      Buffer.from(prev, 'hex'),
      Buffer.from(hash, 'hex'),
    ]);
  }
  await owner.query('UPDATE hedge.head SET seq = $1, hash = $2', [last + 1, Buffer.from(hash, 'hex')]);
  await owner.query('ALTER TABLE hedge.records ENABLE TRIGGER append_only');
}
