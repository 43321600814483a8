const PATIENCE_MS = 5000;

/**
 * Lets what is under way end; what takes too long is cut off.
 * @param close takes no more, and calls back once all has ended
 * @param cutOff ends the rest, after which `close` calls back too
 */
export function shutDown(close: (done: () => void) => void, cutOff: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(cutOff, PATIENCE_MS);
    close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
