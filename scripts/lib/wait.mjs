/**
 * Waits until a condition holds.
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {number} timeoutMs
 * @returns {Promise<T>} the condition's last answer: falsy when the time ran out
 */
export async function until(condition, timeoutMs, everyMs = 10) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
