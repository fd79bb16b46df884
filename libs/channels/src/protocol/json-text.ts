/**
 * A value as JSON.
 * @returns `undefined` when it has none, for one because it is nested so deeply that the stack does not suffice, which
 * JSON.parse does not mind
 */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
