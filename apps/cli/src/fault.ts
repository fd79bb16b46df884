/** An error for the caller: one line on stderr, and exit code 1. */
export class Fault extends Error {}

/** The server refused: a retry would change nothing. */
export class Refused extends Fault {}

/** Wrong usage of the command: one line on stderr, and exit code 2. */
export class WrongUse extends Error {}

/** An error's message in one line; for a mere wrapper, that of its cause. */
export function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(lineOf))].join(', ');
  // From `fetch`, whose own message is "fetch failed".
  if (error instanceof TypeError && error.cause) return lineOf(error.cause);
  return (error.message || error.name).replace(/\s*\n\s*/g, ' ');
}
