/**
 * Waits, and keeps no process alive. By the global clock: fake timers hold it in every spec, while they do not hold
 * `node:timers/promises` where another spec of the same worker has loaded it first.
 * @param ms in milliseconds
 */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
