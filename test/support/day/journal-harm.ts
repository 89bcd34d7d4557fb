/** What becomes of the journal's files on a day, and how a person puts them right again. */
import { type Arbitrary, boolean, constant, constantFrom, double, integer, oneof, record } from 'fast-check';
import { DEALINGS, dealt, type Step, step } from './commands.ts';

export type Harm =
  /** A bit of a file is turned over. `part`: where in it, from 0 up to 1. */
  | { how: 'flip'; file: 'journal.sqlite' | 'journal.sqlite-wal' | 'journal.head'; part: number; bit: number }
  /** The copy of earlier, or an empty one, is put in its place. `withLog`: with its log, or beside the log that is there. */
  | { how: 'older copy'; withLog: boolean }
  | { how: 'lost witness' }
  | { how: 'lost shm' };

const harmText = (it: Harm): string =>
  it.how === 'flip'
    ? `bit ${String(it.bit)} at ${it.part.toFixed(4)} of ${it.file} turns over`
    : it.how === 'older copy'
      ? `an older copy of the journal is put back${it.withLog ? '' : ', without its log'}`
      : `the journal's files: ${it.how}`;

export const harm = (it: Harm): Step =>
  step(harmText(it), async (model, day) => {
    if (day.journal.read() === '') return;
    day.journal.harm(it);
    model.isHarmed = true;
    model.wasHarmed = true;
    if (it.how === 'older copy' || (it.how === 'flip' && it.file !== 'journal.sqlite')) model.mayLack = true;
  });

/** Of the state folder, to be put back later. */
export const keepCopy: Step = step('the journal is copied', async (_, day) => day.journal.keepCopy());

/** As the program says: what is damaged is repaired, what is lost is accepted, and what halts is lifted. */
export const mend: Step = step('a person mends the journal', async (model, day) => {
  if (!model.isHarmed) return;
  const says = async (...words: readonly string[]): Promise<void> => {
    await dealt(model, day, { kind: 'reading' }, { words });
  };
  model.isMending = true;
  await says('journal', 'repair');
  day.journal.moveLog();
  if (model.trouble === 'rewound')
    await says('journal', 'accept-loss', '--note', 'compared by hand', '--yes');
  model.isMending = false;
  model.isHarmed = false;
  model.mayLack = false;
  if (model.trouble !== undefined) model.wrong.push(`mended, and the journal is still ${model.trouble}`);
  if (!model.halted) await says('unhalt', '--yes');
});

/** The database has the most to lose. */
const HARMS: Arbitrary<Harm> = oneof(
  {
    weight: 4,
    arbitrary: record({
      how: constantFrom('flip' as const),
      file: constantFrom(
        ...([
          'journal.sqlite',
          'journal.sqlite',
          'journal.sqlite',
          'journal.sqlite-wal',
          'journal.head',
        ] as const),
      ),
      part: double({ min: 0, max: 0.9999, noNaN: true }),
      bit: integer({ min: 0, max: 7 }),
    }),
  },
  { weight: 2, arbitrary: record({ how: constantFrom('older copy' as const), withLog: boolean() }) },
  {
    weight: 1,
    arbitrary: constantFrom<Harm>({ how: 'lost witness' }, { how: 'lost shm' }),
  },
);

/** Whatever may come on a day, as often as it is in the list. */
export const STEPS: Arbitrary<Step>[] = [
  ...DEALINGS,
  HARMS.map(harm),
  HARMS.map(harm),
  HARMS.map(harm),
  constant(keepCopy),
  constant(keepCopy),
  constant(mend),
  constant(mend),
];
