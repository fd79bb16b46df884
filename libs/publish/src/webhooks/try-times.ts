/** beams-wire §7.1: an answer within 3 s, otherwise four more tries. A webhook expires a day after it was due. */
export const tryTimes = (now: number) => ({
  timeoutMs: 3000,
  retryDelaysMs: [10_000, 30_000, 120_000, 300_000],
  expiresAt: now + 86_400_000,
});
