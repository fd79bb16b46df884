import { parseChannelName } from 'rookery/channels';

/** What a channel is, in the words of people: `presence-cache`, `encrypted`. */
export function kindOf(name: string): string {
  const channel = parseChannelName(name, { channelNameLength: Infinity, userIdLength: Infinity });
  if (!channel) return 'public';
  const { access, isCache, isEncrypted } = channel;
  if (isEncrypted) return isCache ? 'encrypted-cache' : 'encrypted';
  if (!isCache) return access;
  return access === 'public' ? 'cache' : `${access}-cache`;
}
