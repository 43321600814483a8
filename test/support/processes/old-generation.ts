import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const ROUNDS = 20;

/**
 * The bytes by which the old generation grows when work that keeps nothing is repeated. The process must be started
 * with `--no-allocation-site-pretenuring`: otherwise V8 may allocate directly in the old generation what it expects to
 * live long.
 */
export async function oldGenerationGrowth(work: () => void | Promise<void>): Promise<number> {
  const settle = async (options?: { type: 'minor' }) => {
    collect(options);
    // Observers are called in the following turns of the event loop.
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  };
  await work();
  // Everything that exists now is in the old generation from here on.
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
/** Eight kilobytes, so that an object that was not collected shows. */
export const ballast = (): unknown[] => new Array<unknown>(BALLAST_FIELDS).fill(undefined);
