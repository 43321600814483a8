/** What a promise answers, if it does in time. What comes later, an error too, is of no interest any more. */
export function within<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
