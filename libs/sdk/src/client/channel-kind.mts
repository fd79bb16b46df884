/** What the name of a channel says of it: the longest prefix, and only at the start. */
export function channelKind(name: string) {
  const [, access = '', cache] = /^(private-(?:encrypted-)?|presence-)?(cache-)?/.exec(name)!;
  return {
    /** Whether it needs a token; so do presence channels. */
    isPrivate: access.startsWith('private-'),
    isPresence: access === 'presence-',
    isEncrypted: access === 'private-encrypted-',
    /** Whether the server keeps its last event for new subscribers. */
    isCache: cache !== undefined,
  } as const;
}
