// The server's own channels; no client can subscribe to them.

export const isReserved = (channel: string): boolean => channel.startsWith('#');

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

/** The room of the process that owns a connection over HTTP. */
export const requestsOf = (name: string): string => `${requests}${name}`;

/** Whether the room is {@link requestsOf} a connection. */
export const isRequests = (room: string): boolean => room.startsWith(requests);

/** Carries messages to all processes. */
export const allNodes = '#nodes';

/** Carries messages to one process, such as replies. */
export const nodeOf = (id: string): string => `${allNodes}-${id}`;
