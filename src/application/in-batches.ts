const BATCH = 500;

/**
 * Repeats the work until a batch is not full.
 * @param work returns how many items it did, at most `limit`
 */
export async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
  let done = 0;
  for (let batch = BATCH; batch === BATCH; done += batch) batch = await work(BATCH);
  return done;
}
