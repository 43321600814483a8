export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

export function secondsAfter(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

export function earliest(one: Date, other: Date): Date {
  return one < other ? one : other;
}
