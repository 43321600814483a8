/**
 * Which of the service's mails before an expiry a key gets: none earlier than after half of its lifetime.
 * test/contracts/screen-expiry.spec.ts compares this with the service's rule.
 */
export function mailedDays(noticeDays: readonly number[], lifetimeDays: number): readonly number[] {
  return noticeDays.filter((days) => days * 2 <= lifetimeDays).sort((one, other) => other - one);
}
