import { isUserId } from './user-id.js';

/** The kind of a channel: the authorization it requires and what it remembers (channels-wire §4). */
export interface ChannelName {
  readonly name: string;
  /** `user` is the reserved `#server-to-user-<id>`. */
  readonly access: 'public' | 'private' | 'presence' | 'user';
  readonly isEncrypted: boolean;
  readonly isCache: boolean;
  /** The id in `#server-to-user-<id>`; absent for other channels. */
  readonly userId?: string;
}

/** The longest names allowed; the id in a `#server-to-user-<id>` has its own limit. */
export interface NameLimits {
  readonly channelNameLength: number;
  readonly userIdLength: number;
}

const allowed = /^[A-Za-z0-9_\-=@,.;]+$/;
const serverToUser = '#server-to-user-';

/**
 * The longest prefix wins, and prefixes match only at the start: `my-cache-prices` is an ordinary public channel.
 * @example parseChannelName('private-encrypted-cache-a', limits) // { access: 'private', isEncrypted: true, isCache:
 *   true }
 * @returns `undefined` when the name is invalid (channels-wire §3.5)
 */
export function parseChannelName(name: unknown, limits: NameLimits): ChannelName | undefined {
  if (typeof name !== 'string') return undefined;
  if (name.startsWith(serverToUser)) return userChannel(name, limits.userIdLength);
  return name.length <= limits.channelNameLength && allowed.test(name) ? { name, ...kindOf(name) } : undefined;
}

/** The channel of a user whose id is known to be valid. */
export const userChannelOf = (userId: string): ChannelName => ({
  name: serverToUser + userId,
  access: 'user',
  isEncrypted: false,
  isCache: false,
  userId,
});

// The id may contain any character, so the name has to be escaped wherever it is written.
function userChannel(name: string, maxLength: number): ChannelName | undefined {
  const userId = name.slice(serverToUser.length);
  return isUserId(userId, maxLength) ? userChannelOf(userId) : undefined;
}

/**
 * Whether a channel is visible in lists, counts and webhooks. Users' channels are not, because their names reveal who
 * is signed in.
 */
export function isShown({ access }: ChannelName): boolean {
  return access !== 'user';
}

type Kind = Pick<ChannelName, 'access' | 'isEncrypted' | 'isCache'>;

const kinds: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['private-encrypted-cache-', { access: 'private', isEncrypted: true, isCache: true }],
  ['private-encrypted-', { access: 'private', isEncrypted: true, isCache: false }],
  ['private-cache-', { access: 'private', isEncrypted: false, isCache: true }],
  ['private-', { access: 'private', isEncrypted: false, isCache: false }],
  ['presence-cache-', { access: 'presence', isEncrypted: false, isCache: true }],
  ['presence-', { access: 'presence', isEncrypted: false, isCache: false }],
  ['cache-', { access: 'public', isEncrypted: false, isCache: true }],
];
const publicKind: Kind = { access: 'public', isEncrypted: false, isCache: false };

/** The access of a channel whose name is known to be valid. */
export const accessOf = (name: string): ChannelName['access'] => kindOf(name).access;

/** Whether a channel, whose name is known to be valid, is encrypted. */
export const isEncryptedChannel = (name: string): boolean => kindOf(name).isEncrypted;

/** Whether a channel, whose name is known to be valid, remembers its last event. */
export const isCacheChannel = (name: string): boolean => kindOf(name).isCache;

function kindOf(name: string): Kind {
  return kinds.find(([prefix]) => name.startsWith(prefix))?.[1] ?? publicKind;
}
