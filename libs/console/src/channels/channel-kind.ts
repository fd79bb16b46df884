import { parseChannelName } from 'rookery/internal/channels';

/** The kind of a channel for display: `presence-cache`, `encrypted`. */
export function kindOf(name: string): string {
  const channel = parseChannelName(name, { channelNameLength: Infinity, userIdLength: Infinity });
  if (!channel) return 'public';
  const { access, isCache, isEncrypted } = channel;
  if (isEncrypted) return isCache ? 'encrypted-cache' : 'encrypted';
  if (!isCache) return access;
  return access === 'public' ? 'cache' : `${access}-cache`;
}
