/** Waits for `work`, at most `milliseconds`. @returns whether it is done; throws what it throws in time */
export async function settledIn(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
