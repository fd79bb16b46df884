/** A limit as it can be sent: JSON has no infinity. */
export const asLimit = (limit: number): number => Math.min(limit, Number.MAX_SAFE_INTEGER);
