/** An error for the caller: one line on stderr, and exit code 1. */
export class Fault extends Error {}

/** The command was called in another way than it can be: one line on stderr, and exit code 2. */
export class WrongUse extends Error {}

/** What an error says, in one line; of one that only wraps another, what the other says. */
export function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(lineOf))].join(', ');
  // Of `fetch`, whose own message is "fetch failed".
  if (error instanceof TypeError && error.cause) return lineOf(error.cause);
  return (error.message || error.name).replace(/\s*\n\s*/g, ' ');
}
