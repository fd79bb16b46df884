import { Injectable } from '@nestjs/common';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { isReserved } from '../protocol/reserved-channels.js';

/** A connection of this process, as administrators see it. */
export interface ShownConnection {
  readonly socketId: string;
  /** Epoch milliseconds. */
  readonly connectedAt: number;
  readonly transport: 'websocket' | 'http';
  /** As reported by the nearest proxy, if the connection came through one. */
  readonly remoteAddress: string;
  readonly userId: string | null;
  readonly channels: number;
  /** Bytes queued because the client reads slowly. */
  readonly waitingBytes: number;
}

/** All that is known about a connection. */
export interface ShownConnectionInFull extends Omit<ShownConnection, 'channels'> {
  readonly channels: readonly string[];
  readonly origin: string | null;
  /** Whether it is signed in as its user. Otherwise, the user is only present on a channel. */
  readonly isSignedIn: boolean;
  /** JSON text, if the user has any. */
  readonly userInfo: string | null;
}

/** One page of an app's connections in this process, ordered by socket id. */
export interface ConnectionsPage {
  readonly connections: readonly ShownConnection[];
  /** The number of connections that match the search. */
  readonly total: number;
}

export interface ConnectionsQuery {
  readonly appId: string;
  /** Matches part of a socket id, a user id, an address or a channel name. */
  readonly search: string;
  /** The last socket id of the previous page. */
  readonly after: string;
  readonly limit: number;
  /** @default 'socketId'; by a number, the largest come first, and `after` is ignored */
  readonly order?: 'socketId' | 'channels' | 'waitingBytes' | 'connectedAt';
}

/** Lists the connections of this process and closes single ones on request. */
@Injectable()
export class OpenConnections {
  constructor(private readonly hub: Hub) {}

  page({ appId, search, after, limit, order = 'socketId' }: ConnectionsQuery): ConnectionsPage {
    const inOrder = orders[order];
    const found: Connection[] = [];
    let total = 0;
    for (const connection of this.hub.connections) {
      if (connection.app.id !== appId || !isLike(connection, search)) continue;
      total += 1;
      if (order === 'socketId' && connection.socketId <= after) continue;
      found.push(connection);
      // Trimmed from time to time to what can still be on the page: there may be a hundred thousand connections.
      if (found.length > 64 * limit) found.sort(inOrder).splice(limit);
    }
    return { connections: found.toSorted(inOrder).slice(0, limit).map(shown), total };
  }

  find(appId: string, socketId: string): ShownConnectionInFull | undefined {
    const connection = this.connection(appId, socketId);
    return connection && shownInFull(connection);
  }

  /**
   * Closes the connection as if the application ended its user's connections. Answers whether it was in this process.
   */
  close(appId: string, socketId: string): boolean {
    const connection = this.connection(appId, socketId);
    connection?.close(ProtocolError.terminated());
    return connection !== undefined;
  }

  /** A user's connections in this process: signed in, or present on a channel as that user. */
  ofUser(appId: string, userId: string): readonly ShownConnectionInFull[] {
    return this.connectionsOf(appId, userId).map(shownInFull);
  }

  /** Closes a user's connections like {@link close}. Answers how many were in this process. */
  closeOfUser(appId: string, userId: string): number {
    const all = this.connectionsOf(appId, userId);
    for (const connection of all) connection.close(ProtocolError.terminated());
    return all.length;
  }

  /** How many connections of an app were opened with each key. */
  byKey(appId: string): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { app, key = app.key } of this.hub.connections)
      if (app.id === appId) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }

  /** The apps in which a socket or a user has a connection in this process. */
  appsOf({ socketId, userId = '' }: { readonly socketId?: string; readonly userId?: string }): readonly string[] {
    const isAsked = (each: Connection): boolean =>
      socketId === undefined ? isOfUser(each, userId) : each.socketId === socketId;
    return [...new Set([...this.hub.connections].filter(isAsked).map(({ app }) => app.id))];
  }

  /** The totals of this process. */
  figures(): { readonly connections: number; readonly channels: number; readonly subscriptions: number } {
    const figures = { connections: this.hub.connections.size, channels: 0, subscriptions: 0 };
    for (const { channel, size } of this.hub.channels()) {
      if (isReserved(channel)) continue;
      figures.channels += 1;
      figures.subscriptions += size;
    }
    return figures;
  }

  private connectionsOf(appId: string, userId: string): readonly Connection[] {
    return [...this.hub.connections].filter((each) => each.app.id === appId && isOfUser(each, userId));
  }

  private connection(appId: string, socketId: string): Connection | undefined {
    for (const each of this.hub.connections) if (each.socketId === socketId && each.app.id === appId) return each;
    return undefined;
  }
}

const bySocketId = (left: Connection, right: Connection): number => (left.socketId < right.socketId ? -1 : 1);

const channelsOf = ({ subscriptions }: Connection): number => subscriptions?.size ?? 0;

const orders: Readonly<Record<NonNullable<ConnectionsQuery['order']>, typeof bySocketId>> = {
  socketId: bySocketId,
  channels: (left, right) => channelsOf(right) - channelsOf(left),
  waitingBytes: (left, right) => right.waitingBytes - left.waitingBytes,
  connectedAt: (left, right) => right.openedAt - left.openedAt,
};

const membersOf = ({ subscriptions }: Connection): (string | undefined)[] =>
  [...(subscriptions?.values() ?? [])].map(({ member }) => member?.userId);

const isOfUser = (connection: Connection, userId: string): boolean =>
  connection.user?.id === userId || membersOf(connection).includes(userId);

const userOf = (connection: Connection): string | null =>
  connection.user?.id ?? membersOf(connection).find((id) => id !== undefined) ?? null;

function isLike(connection: Connection, search: string): boolean {
  if (search === '') return true;
  const { socketId, remoteAddress, user, subscriptions } = connection;
  if ([socketId, remoteAddress, user?.id ?? ''].some((text) => text.includes(search))) return true;
  for (const [name, { member }] of subscriptions ?? [])
    if (name.includes(search) || member?.userId.includes(search)) return true;
  return false;
}

const shown = (connection: Connection): ShownConnection => ({
  socketId: connection.socketId,
  connectedAt: Math.round(performance.timeOrigin + connection.openedAt),
  transport: connection.httpName === undefined ? 'websocket' : 'http',
  remoteAddress: connection.remoteAddress,
  userId: userOf(connection),
  channels: channelsOf(connection),
  waitingBytes: connection.waitingBytes,
});

function shownInFull(connection: Connection): ShownConnectionInFull {
  const { subscriptions, user } = connection;
  const member = [...(subscriptions?.values() ?? [])].find((each) => each.member?.userInfoJson)?.member;
  return {
    ...shown(connection),
    channels: [...(subscriptions?.keys() ?? [])].toSorted(),
    origin: connection.origin ?? null,
    isSignedIn: user !== undefined,
    userInfo: user?.userInfoJson ?? member?.userInfoJson ?? null,
  };
}
