/** Polls a condition; settles when it is true, or after `maxMs`. */
export async function waitFor(condition: () => boolean, maxMs = Infinity): Promise<void> {
  const until = performance.now() + maxMs;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}
