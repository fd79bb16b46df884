const { timeOrigin } = performance;

/** The time in milliseconds of the epoch, and parts of them. */
export const preciseNow = (): number => timeOrigin + performance.now();
