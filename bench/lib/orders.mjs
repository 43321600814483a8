/**
 * The counterpart of `start`: reports that this process is ready, then carries out orders one after the other.
 * @param {object} hello
 * @param {(order: any) => Promise<object>} carryOut
 */
export function takeOrders(hello, carryOut) {
  process.on('message', async (order) => {
    process.send?.(await carryOut(order));
  });
  process.on('disconnect', () => process.exit(0)).on('SIGTERM', () => process.exit(0));
  process.send?.({ ready: true, ...hello });
}

/**
 * Keeps `concurrency` calls in flight for `seconds`, or until this number of `calls`.
 * @param {{ concurrency: number, seconds?: number, calls?: number }} load
 * @param {(n: number) => Promise<unknown>} call
 */
export async function closedLoop({ concurrency, seconds = Infinity, calls: most = Infinity }, call) {
  const began = performance.now();
  const end = began + seconds * 1000;
  let calls = 0;
  const client = async () => {
    while (performance.now() < end && calls < most) await call(calls++);
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return paceOf(calls, began);
}

/**
 * Makes `perSecond` calls a second without waiting for earlier answers. At the end, waits for all answers.
 * @param {{ perSecond: number, seconds: number }} load
 * @param {(n: number) => Promise<unknown>} call
 */
export async function openLoop({ perSecond, seconds }, call) {
  const began = performance.now();
  const total = perSecond * seconds;
  const calls = [];
  while (calls.length < total) {
    const due = Math.min(total, ((performance.now() - began) * perSecond) / 1000);
    while (calls.length < due) calls.push(call(calls.length));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(calls);
  return paceOf(calls.length, began);
}

/** @param {number} calls @param {number} began by `performance.now()` */
function paceOf(calls, began) {
  const seconds = (performance.now() - began) / 1000;
  return { calls, seconds, perSecond: calls / seconds };
}
