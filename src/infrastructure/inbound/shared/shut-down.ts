const TIMEOUT_MS = 5000;

/**
 * Lets work in progress end, and cuts off what takes too long.
 * @param close accepts nothing new, and calls back once everything has ended
 * @param cutOff ends the rest, after which `close` calls back too
 */
export function shutDown(close: (done: () => void) => void, cutOff: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(cutOff, TIMEOUT_MS);
    close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
