const { timeOrigin } = performance;

/** The time in fractional epoch milliseconds. */
export const preciseNow = (): number => timeOrigin + performance.now();
