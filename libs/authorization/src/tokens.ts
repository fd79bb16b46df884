import { hash } from 'node:crypto';
import { signinText, subscriptionText, tokenFor } from 'rookery/internal/channels';
import type { Grant } from './channel-authorizers.js';
import type { SigningApp } from './default-app.js';
import type { Member } from './member.js';
import { forbidden } from './refused.js';
import type { HostUser } from './user-authenticators.js';

/** What a client needs to subscribe (channels-wire §3.1, §4). */
export interface ChannelToken {
  readonly auth: string;
  readonly channel_data?: string;
  readonly shared_secret?: string;
}

/** What a client needs to sign in (channels-wire §3.6). */
export interface UserToken {
  readonly auth: string;
  readonly user_data: string;
}

/** @throws Refused 403 for an encrypted channel of an app without a master key */
export function channelToken({ app, pair }: SigningApp, socketId: string, grant: Grant): ChannelToken {
  const { channel, isEncrypted, member } = grant;
  const channelData = member && channelDataOf(member);
  const auth = tokenFor(pair, subscriptionText(socketId, channel, channelData));
  if (channelData !== undefined) return { auth, channel_data: channelData };
  if (!isEncrypted) return { auth };
  if (app.encryptionMasterKeyBase64 === null) throw forbidden('The app has no encryptionMasterKeyBase64');
  return { auth, shared_secret: sharedSecret(channel, app.encryptionMasterKeyBase64) };
}

export function userToken({ pair }: SigningApp, socketId: string, user: HostUser): UserToken {
  const userData = userDataOf(user);
  return { auth: tokenFor(pair, signinText(socketId, userData)), user_data: userData };
}

export const channelDataOf = ({ userId, userInfo }: Member): string =>
  objectText({ user_id: JSON.stringify(userId), user_info: userInfo });

export const userDataOf = ({ userId, userInfo, watchlist }: HostUser): string =>
  objectText({
    id: JSON.stringify(userId),
    user_info: userInfo,
    watchlist: watchlist && JSON.stringify(watchlist),
  });

/** Derived like in the server libraries, so that all of an app's servers agree. */
const sharedSecret = (channel: string, masterKey: string): string =>
  hash('sha256', Buffer.concat([Buffer.from(channel), Buffer.from(masterKey, 'base64')]), 'base64');

/** The JSON of an object whose values are JSON texts. */
const objectText = (fields: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(fields)
    .flatMap(([name, json]) => (json === undefined ? [] : [`"${name}":${json}`]))
    .join(',')}}`;
