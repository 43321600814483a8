import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const ROUNDS = 20;

/**
 * Bytes by which the old generation has grown by work that leaves nothing behind, done again and again. Only a process
 * that was started with `--no-allocation-site-pretenuring` makes nothing old on the guess that it will live long.
 */
export async function oldGenerationGrowth(work: () => void | Promise<void>): Promise<number> {
  const settle = async (options?: { type: 'minor' }) => {
    collect(options);
    // Who wants to know of it is told in the turns after.
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  };
  await work();
  // Whatever is there now is old from here on.
  await settle();
  await settle();
  const before = oldBytes();
  for (let round = 0; round < ROUNDS; round += 1) {
    await work();
    await settle({ type: 'minor' });
  }
  return oldBytes() - before;
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size;
}

const BALLAST_FIELDS = 1000;
/** What makes an object that should be gone show: eight kilobytes. */
export const ballast = (): unknown[] => new Array<unknown>(BALLAST_FIELDS).fill(undefined);
