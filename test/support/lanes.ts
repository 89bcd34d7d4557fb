/** Many cases over a few services at once: each lane takes the next case when it is done with its last. */

/** What each case came to, in no order. */
export async function inLanes<Lane, Case, Result>(
  lanes: readonly Lane[],
  cases: readonly Case[],
  work: (lane: Lane, one: Case) => Promise<Result>,
): Promise<readonly Result[]> {
  const left = [...cases];
  const results: Result[] = [];
  const worker = async (lane: Lane): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      results.push(await work(lane, next));
  };
  await Promise.all(lanes.map(worker));
  return results;
}
