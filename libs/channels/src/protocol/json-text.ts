/**
 * A value as JSON.
 * @returns `undefined` when it has none, for example because it is nested too deeply for the stack, which JSON.parse
 *   does accept
 */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
