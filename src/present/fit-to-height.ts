/** Lines of a view and of the status under it, within the lines of a window. Knows nothing of what they say. */

/**
 * The view from its top, and the status in the last lines. Where there is too little room, empty lines give way
 * first, then the end of the view, and how much is missing is said; the status stays as long as it can.
 */
export function fitToHeight(
  view: readonly string[],
  status: readonly string[],
  height: number,
  unicode: boolean,
): readonly string[] {
  const foot = status.slice(0, Math.max(1, height - 1));
  const room = Math.max(0, height - foot.length);
  if (view.length < room) return [...view, '', ...foot];
  const dense = view.filter((each) => each !== '');
  if (dense.length <= room) return [...withGaps(view, room), ...foot];
  if (room === 0) return foot;
  const missing = dense.length - room + 1;
  const more = `${unicode ? '…' : '...'} ${missing.toString()} more ${missing === 1 ? 'line' : 'lines'}`;
  return [...dense.slice(0, room - 1), more, ...foot];
}

/** As many of the empty lines as there is room for, the upper ones first. */
function withGaps(view: readonly string[], room: number): readonly string[] {
  let spare = room - view.filter((each) => each !== '').length;
  return view.filter((each) => {
    if (each !== '') return true;
    spare -= 1;
    return spare >= 0;
  });
}
