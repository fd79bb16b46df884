/** A value as JSON, or why it has none: in one line, and as it was thrown. */
export type WrittenJson = { readonly text: string } | { readonly reason: string; readonly cause?: unknown };

/** Writes JSON: bigint, a circle, a `toJSON` that throws and great depth have none, and neither has a function. */
export function writtenJson(value: unknown): WrittenJson {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? { reason: `it is of the type ${typeof value}` } : { text };
  } catch (error) {
    return { reason: reasonOf(error), cause: error };
  }
}

function reasonOf(error: unknown): string {
  // JSON.parse accepts any depth.
  if (error instanceof RangeError) return 'it is nested too deeply';
  // A circle is described in several lines.
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
}
