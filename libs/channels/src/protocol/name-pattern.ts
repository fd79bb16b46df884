/** Whether it is a name, or a prefix followed by `*`. */
export const isNamePattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^[^*]*\*?$/.test(pattern) && pattern !== '';

/** Whether a pattern, as of {@link isNamePattern}, names it. */
export const isNamedBy = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
