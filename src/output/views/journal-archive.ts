/** Segments of the journal that were moved to another folder, and those that stay. */
import type { ArchiveResult, KeptBecause } from '../../journal/archive.ts';
import { type Block, line, message, text } from '../blocks.ts';
import { counted } from './audit.ts';

interface ArchiveView extends ArchiveResult {
  /** `2026-01` */
  before: string;
}

export function viewArchive({ folder, moved, kept, before }: ArchiveView): readonly Block[] {
  const staying = kept.filter(({ because }) => because === 'open' || because === 'damaged');
  return [
    moved.length === 0
      ? line(text(`No segment ends before ${before}. Nothing was moved.`))
      : line(text(`${segments(moved.length)} moved to`, 'strong'), message(folder)),
    ...moved.map(({ name, lines, bytes }) =>
      line(text(`${name}  ${counted(lines, 'line')}, ${counted(bytes, 'byte')}`)),
    ),
    ...staying.map(({ name, because, actions }) =>
      line(text(`${name} stays: ${WHY[because]}${actions.length === 0 ? '' : ` (${actions.join(', ')})`}`)),
    ),
    ...(moved.length === 0
      ? []
      : [
          line(text('Their actions are read there. If the folder moves: hedge journal --archive DIR', 'dim')),
        ]),
  ];
}

const WHY: Readonly<Record<KeptBecause, string>> = {
  active: 'it still grows',
  later: 'it has later records',
  open: 'it has an action that is open or was minutes ago',
  damaged: 'a part of it cannot be read',
};

const segments = (count: number): string => (count === 1 ? '1 segment' : `${count.toString()} segments`);

export const archiveDocument = ({ folder, moved, kept, before }: ArchiveView): unknown => ({
  before,
  folder,
  moved: moved.map(({ name, lines, bytes, head }) => ({ segment: name, lines, bytes, head_sha256: head })),
  kept: kept.map(({ name, because, actions }) => ({ segment: name, because, actions })),
});
