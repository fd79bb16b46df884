/** SQLite's own messages, which drivers pass on. Error codes have several names, and one driver omits some. */
const sentences = {
  busy: 'database is locked',
  corrupt: 'database disk image is malformed',
  full: 'database or disk is full',
  io: 'disk I/O error',
  noDatabase: 'file is not a database',
  notOpened: 'unable to open database file',
  readOnly: 'attempt to write a readonly database',
} as const;

/** The reasons why SQLite fails that Rookery distinguishes. */
export type SqliteResult = keyof typeof sentences;

export function resultOf(error: unknown): SqliteResult | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const [result, sentence] of Object.entries(sentences))
    if (error.message.includes(sentence)) return result as SqliteResult;
  return undefined;
}
