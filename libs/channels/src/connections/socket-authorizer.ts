import type { Awaitable } from '#common';
import type { Connection } from './connection.js';

/**
 * Decides on the socket itself who may subscribe and sign in, for clients that send no token. AuthorizationModule
 * provides one that calls the host's methods. An error that it throws refuses the request.
 */
export abstract class SocketAuthorizer {
  /** Whether it authorizes at all. If so, connections keep their upgrade request for it. */
  abstract readonly isOn: boolean;
  /** The connection's user, in the form of a sign-in's `user_data`. Called once, before anything else. */
  abstract user(connection: Connection): Awaitable<HostUser>;
  /** Resolves when the connection may subscribe; on a presence channel, with the member's `channel_data`. */
  abstract channelData(connection: Connection, channel: string): Awaitable<string | undefined>;
}

/** The user of the host's own login that a connection belongs to. */
export interface HostUser {
  readonly id: string;
  readonly userData: string;
}

/**
 * The connection's user by the host's own login; the host is asked once.
 * @throws what the host's method throws when the connection has no user
 */
export async function hostUserOf(connection: Connection, authorizer: SocketAuthorizer): Promise<HostUser> {
  return (connection.hostUser ??= await authorizer.user(connection));
}
