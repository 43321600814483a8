import { useSyncExternalStore } from 'react';

const TICK_MS = 10_000;
/** Less may be the time that an answer took. */
const WRONG_MS = 60_000;
let ahead = 0;

/** The service's time, even if the browser's clock is wrong. */
export const serviceTime = (): number => Date.now() + ahead;

/** @param time the service's, of an answer. An instance of an earlier release does not say it. */
export function learnTime(time: string | undefined): void {
  if (time === undefined) return;
  const found = Date.parse(time) - Date.now();
  ahead = Math.abs(found) < WRONG_MS ? 0 : found;
  now = serviceTime();
}

let now = serviceTime();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all relative times. It stops while no component uses it. */
function subscribe(listener: () => void): () => void {
  now = serviceTime();
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = serviceTime();
  for (const listener of listeners) listener();
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
