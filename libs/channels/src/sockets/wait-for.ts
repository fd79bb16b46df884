/** Polls a condition; settles when it is true, or after `mostMs`. */
export async function waitFor(condition: () => boolean, mostMs = Infinity): Promise<void> {
  const until = performance.now() + mostMs;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}
