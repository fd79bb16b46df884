/** The signed text consists of parts: none of them may be ambiguous. */
export function checked(part: string, expression: RegExp): string {
  if (!expression.test(part)) throw new Error(`Invalid: ${part}`);
  return part;
}

/** A user's path. @throws Error for the ids `.` and `..`, which URLs drop however they are escaped */
export const userPath = (id: string): string => `users/${encodeURIComponent(checked(id, /[^.]|.{3}/))}`;
