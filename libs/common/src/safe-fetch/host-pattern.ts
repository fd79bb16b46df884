/** A pattern for hosts: `push.example.com`, `*.example.com` for its subdomains, `*` for all. */
export const isHostPattern = (text: unknown): boolean =>
  typeof text === 'string' && /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(text);

/** Whether a host fits one of the patterns, in lower case. */
export const isHostAmong = (patterns: readonly string[], host: string): boolean =>
  patterns.some(
    (pattern) => pattern === '*' || (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern),
  );
