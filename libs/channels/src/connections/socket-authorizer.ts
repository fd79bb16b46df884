import type { Awaitable } from 'rookery/common';
import type { Connection } from './connection.js';

/**
 * Says on the socket itself who may subscribe and sign in, where a client sends no token. AuthorizationModule lends one
 * that asks the host's methods. What it throws refuses what was asked for.
 */
export abstract class SocketAuthorizer {
  /** Whether it is asked. Connections keep their upgrade request for it. */
  abstract readonly isOn: boolean;
  /** Whose connection it is, as the `user_data` of a sign-in. Asked once, before anything else. */
  abstract user(connection: Connection): Awaitable<HostUser>;
  /** Settles when the connection may subscribe; with the `channel_data` of the member on a presence channel. */
  abstract channelData(connection: Connection, channel: string): Awaitable<string | undefined>;
}

/** The user of the host's own login whose connection it is. */
export interface HostUser {
  readonly id: string;
  readonly userData: string;
}

/** Authorizes nothing itself: only tokens count. */
export class TokensOnly extends SocketAuthorizer {
  readonly isOn = false;

  user(): never {
    throw new Error('Nobody authorizes on the socket');
  }

  channelData(): never {
    throw new Error('Nobody authorizes on the socket');
  }
}
