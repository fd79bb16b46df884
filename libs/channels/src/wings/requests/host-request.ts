import type { IncomingMessage } from 'node:http';
import { HostCall } from '#http';
import type { Connection } from '../../connections/connection.js';

/** The user who asks, as `@CurrentUser()` gets it unless a guard sets another. */
export interface RequestUser {
  readonly id: string;
  readonly info?: unknown;
}

/**
 * A client's request as the host's guards and parameters see it: on the request that opened the socket, where connections
 * keep it (`authorizeOnSubscribe`), with the user and the data of this one.
 */
export function hostCall({ request }: Connection, user: RequestUser | undefined, body: unknown): HostCall {
  const opened = request ?? { headers: {}, method: 'GET', url: '', httpVersionMajor: 1, httpVersionMinor: 1 };
  return HostCall.onSocket(Object.assign(Object.create(opened) as IncomingMessage, { user, body }));
}

/** The user who signed in on the connection, or else the member of the presence channel. */
export function userOf({ user, hostUser, subscriptions }: Connection, channel = ''): RequestUser | undefined {
  if (user) return requestUser(user.id, user.userInfoJson);
  const member = subscriptions?.get(channel)?.member;
  if (member) return requestUser(member.userId, member.userInfoJson);
  return hostUser && { id: hostUser.id };
}

const requestUser = (id: string, json: string | undefined): RequestUser => ({
  id,
  ...(json !== undefined && { info: JSON.parse(json) as unknown }),
});
