/** After this time, a turn starts to end no more keys of its report. The remaining keys wait for another turn. */
export const TURN_MS = 2000;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** The pause after a turn in which keys could not be ended. Short, because these keys still work. */
export function pauseAfterTurn(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
}
