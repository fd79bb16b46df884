const firstDelayMs = 1000;

/** Delays of 1, 2, 4 … seconds between tries, such that the last try begins at most `windowMs` after the first. */
export function retryDelays(windowMs: number): readonly number[] {
  const delays: number[] = [];
  for (let next = firstDelayMs, left = windowMs; left > 0; left -= next, next *= 2) delays.push(Math.min(next, left));
  return delays;
}
