/** By section: `/push#browsers`, or `/push` for its beginning. */
export const searchWords: Readonly<Record<string, string>>;
