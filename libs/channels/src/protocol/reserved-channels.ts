// Channels of the server's own, which no client can subscribe to.

const sessions = '#sessions-';
const watchers = '#watchers-';

/** By this every process finds the connections of a user; it is also the room in which a signed-in user is present. */
export const sessionsOf = (userId: string): string => `${sessions}${userId}`;

/** On this watchers hear of a user. */
export const watchersOf = (userId: string): string => `${watchers}${userId}`;

/** Whether the channel is the {@link sessionsOf} a user. */
export const isSessions = (channel: string): boolean => channel.startsWith(sessions);

/** The user whose {@link watchersOf} this is, if it is that. */
export const watchedOn = (channel: string): string | undefined =>
  channel.startsWith(watchers) ? channel.slice(watchers.length) : undefined;

const requests = '#requests-';

/** On this the process that has a connection over HTTP hears what its client asks elsewhere; and its replies come so. */
export const requestsOf = (name: string): string => `${requests}${name}`;

/** Whether the channel is a user's {@link requestsOf} channel. */
export const isRequests = (channel: string): boolean => channel.startsWith(requests);

/** On this all processes hear what one asks all of them. */
export const allNodes = '#nodes';

/** On this one process hears what others answer it. */
export const nodeOf = (id: string): string => `${allNodes}-${id}`;

/** Whether the channel is one on which processes speak with each other. */
export const isNodes = (channel: string): boolean => channel.startsWith(allNodes);
