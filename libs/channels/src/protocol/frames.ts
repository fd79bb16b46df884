import type { ProtocolError } from './protocol-error.js';

// The text of each frame that the server sends. Outside `pusher:error`, `data` is a JSON string (channels-wire §2).

/** `{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":120}"}` */
export function connectionEstablished(socketId: string, activityTimeoutSeconds: number): string {
  return `{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"${socketId}\\",\\"activity_timeout\\":${activityTimeoutSeconds}}"}`;
}

/** `{"event":"pusher:ping","data":"{}"}` */
export const ping = '{"event":"pusher:ping","data":"{}"}';

/** `{"event":"pusher:pong","data":"{}"}` */
export const pong = '{"event":"pusher:pong","data":"{}"}';

/** `{"event":"pusher:error","data":{"code":4301,"message":"…"}}`: the one frame whose data is an object. */
export function error({ code, message }: ProtocolError): string {
  return `{"event":"pusher:error","data":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

/**
 * `{"event":"pusher:subscription_error","channel":"c","data":"{\"type\":\"AuthError\",\"error\":\"…\",\"status\":401}"}`
 */
export function subscriptionError(channel: string, { type, message, status }: ProtocolError): string {
  return channelFrame('pusher:subscription_error', channel, JSON.stringify({ type, error: message, status }));
}

/** `{"event":"pusher_internal:subscription_succeeded","channel":"c","data":"{}"}` */
export function subscriptionSucceeded(channel: string): string {
  return `{"event":"pusher_internal:subscription_succeeded","channel":${JSON.stringify(channel)},"data":"{}"}`;
}

/**
 * data: `{"presence":{"count":2,"ids":["1","2"],"hash":{"1":{…},"2":null}}}`
 * @param rosterText the JSON string of it
 */
export function presenceSucceeded(channel: string, rosterText: string): string {
  return `{"event":"pusher_internal:subscription_succeeded","channel":${JSON.stringify(channel)},"data":${rosterText}}`;
}

/** data: `{"user_id":"7","user_info":{…}}` */
export function memberAdded(channel: string, userId: string, userInfoJson: string | undefined): string {
  return channelFrame('pusher_internal:member_added', channel, memberText(userId, userInfoJson));
}

/** `{"event":"rookery:member_updated",…}` with the data of {@link memberAdded}, which follows it (§12). */
export function memberUpdated(channel: string, userId: string, userInfoJson: string | undefined): string {
  return channelFrame('rookery:member_updated', channel, memberText(userId, userInfoJson));
}

function memberText(userId: string, userInfoJson: string | undefined): string {
  const info = userInfoJson === undefined ? '' : `,"user_info":${userInfoJson}`;
  return `{"user_id":${JSON.stringify(userId)}${info}}`;
}

/** data: `{"user_id":"7"}` */
export function memberRemoved(channel: string, userId: string): string {
  return channelFrame('pusher_internal:member_removed', channel, JSON.stringify({ user_id: userId }));
}

/** data: `{"subscription_count":3}` */
export function subscriptionCount(channel: string, count: number): string {
  return `{"event":"pusher_internal:subscription_count","channel":${JSON.stringify(channel)},"data":"{\\"subscription_count\\":${count}}"}`;
}

/** `{"event":"pusher:cache_miss","channel":"c","data":"{}"}` */
export function cacheMiss(channel: string): string {
  return `{"event":"pusher:cache_miss","channel":${JSON.stringify(channel)},"data":"{}"}`;
}

/** data: `{"user_data":"<the string the client signed>"}` */
export function signinSuccess(userData: string): string {
  return `{"event":"pusher:signin_success","data":${JSON.stringify(JSON.stringify({ user_data: userData }))}}`;
}

/** data: `{"events":[{"name":"online","user_ids":["a"]},{"name":"offline","user_ids":["b"]}]}`; no channel (§3.7). */
export function watchlistEvents(
  events: readonly { name: 'online' | 'offline'; user_ids: readonly string[] }[],
): string {
  return `{"event":"pusher_internal:watchlist_events","data":${JSON.stringify(JSON.stringify({ events }))}}`;
}

/**
 * `{"event":"my-event","channel":"c","data":"<exactly as published>"}`, with `user_id` on client events of presence
 * channels.
 */
export function channelEvent(event: string, channel: string, data: string, userId?: string): string {
  const from = userId === undefined ? '' : `,"user_id":${JSON.stringify(userId)}`;
  return `{"event":${JSON.stringify(event)},"channel":${JSON.stringify(channel)},"data":${JSON.stringify(data)}${from}}`;
}

/**
 * An event of a channel with a history (§12): `{"event":"my-event",…,"position":"1700000000000000"}`
 * @param event its frame without the position
 */
export function placed(event: string, position: string): string {
  return `${event.slice(0, -1)},"position":"${position}"}`;
}

/** An event that the session's earlier connection may have received: a {@link placed} event with `"replayed":true`. */
export function replayed(event: string, position: string): string {
  return `${event.slice(0, -1)},"position":"${position}","replayed":true}`;
}

/**
 * `{"event":"rookery:gap","channel":"c","data":"{\\"channel\\":\\"c\\"}"}`: events are missing before the next (§12).
 */
export function gap(channel: string): string {
  return channelFrame('rookery:gap', channel, JSON.stringify({ channel }));
}

/** `{"event":"rookery:state","channel":"c","data":"{\\"state\\":…}"}` (§15) */
export function state(channel: string, json: string): string {
  return channelFrame('rookery:state', channel, `{"state":${json}}`);
}

/** data: a piece of a state's JSON: `{"stream":"…","at":0,"text":"…"}` (§15) */
export function statePiece(channel: string, data: string): string {
  return channelFrame('rookery:state_piece', channel, data);
}

// Channel names are escaped: users' channels contain any id (§3.6), and names that failed to parse contain any text.
function channelFrame(event: string, channel: string, data: string): string {
  return `{"event":"${event}","channel":${JSON.stringify(channel)},"data":${JSON.stringify(data)}}`;
}
