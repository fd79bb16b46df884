/**
 * What JSON.parse has read, written again.
 * @returns `undefined` when it is nested so deeply that the stack does not suffice, which JSON.parse does not mind
 */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
