const BATCH = 500;

/**
 * Repeats work until a batch is not full.
 * @param work answers how many it did, `limit` at most
 */
export async function inBatches(work: (limit: number) => Promise<number>): Promise<number> {
  let done = 0;
  for (let batch = BATCH; batch === BATCH; done += batch) batch = await work(BATCH);
  return done;
}
