/**
 * Resolves after so many milliseconds; waiting alone keeps no process alive. It uses the global `setTimeout`, which fake
 * timers always replace: they miss `node:timers/promises` if an earlier spec of the same worker has loaded it.
 */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
