// The server's own channels; no client can subscribe to them.

const sessions = '#sessions-';
const watchers = '#watchers-';

/** Reaches a user's connections in every process; also the room in which a signed-in user is present. */
export const sessionsOf = (userId: string): string => `${sessions}${userId}`;

/** Carries a user's presence to watchers. */
export const watchersOf = (userId: string): string => `${watchers}${userId}`;

/** Whether the channel is the {@link sessionsOf} a user. */
export const isSessions = (channel: string): boolean => channel.startsWith(sessions);

/** The user whose {@link watchersOf} channel this is; undefined for other channels. */
export const watchedOn = (channel: string): string | undefined =>
  channel.startsWith(watchers) ? channel.slice(watchers.length) : undefined;

const requests = '#requests-';

/** Carries forwarded requests to the process that owns a connection over HTTP, and its replies back. */
export const requestsOf = (name: string): string => `${requests}${name}`;

/** Whether the channel is a user's {@link requestsOf} channel. */
export const isRequests = (channel: string): boolean => channel.startsWith(requests);

/** Carries messages to all processes. */
export const allNodes = '#nodes';

/** Carries messages to one process, such as replies. */
export const nodeOf = (id: string): string => `${allNodes}-${id}`;

/** Whether the channel carries messages between processes. */
export const isNodes = (channel: string): boolean => channel.startsWith(allNodes);
