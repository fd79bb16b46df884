import type { Member } from 'rookery/presence';
import type { ChannelsLimits } from '../app/channels-limits.js';
import type { SignedInUser } from '../connections/connection.js';
import { fieldsOf } from '../protocol/json-fields.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { isUserId } from '../protocol/user-id.js';
import { userInfo } from '../users/user-info.js';

/** The member that joins a presence channel: from channel_data, otherwise the signed-in user (channels-wire §3.4). */
export function memberOf(
  user: SignedInUser | undefined,
  channelData: string | undefined,
  limits: ChannelsLimits,
): Member {
  if (channelData !== undefined) return memberFrom(channelData, limits);
  if (!user) throw ProtocolError.invalidMember('A presence channel needs channel_data or a signed-in user');
  return user.userInfoJson === undefined ? { userId: user.id } : { userId: user.id, userInfoJson: user.userInfoJson };
}

/**
 * The member in a subscription's channel_data (channels-wire §3.4). A numeric user_id becomes the string of its
 * digits, as they were sent.
 * @throws ProtocolError when channel_data is invalid or too large
 */
export function memberFrom(channelData: string, limits: ChannelsLimits): Member {
  const fields = fieldsOf(channelData, 'channel_data');
  const json = fields.get('user_id') ?? '';
  // The text of a string, or the digits of a number.
  const userId = json.startsWith('"') ? (JSON.parse(json) as string) : /^[-\d]/.exec(json) && json;
  if (!userId) throw ProtocolError.invalidMember('channel_data must have a user_id');
  if (!isUserId(userId, limits.userIdLength))
    throw ProtocolError.invalidMember(`user_id is longer than ${limits.userIdLength} characters`);
  return { userId, ...userInfo(fields.get('user_info'), limits) };
}

/** A member's entry in a roster, escaped, because the roster is a string inside a frame. */
interface RosterEntry {
  readonly id: string;
  readonly info: string;
}

// Each member is encoded once, however many join later: each join only concatenates the texts.
const rosterEntries = new WeakMap<Member, RosterEntry>();
/** Texts of whole rosters: subscriptions that wait for the same read get the same one. */
const rosterTexts = new WeakMap<readonly Member[], string>();

/**
 * `{"presence":{"count":2,"ids":["1","2"],"hash":{"1":{…},"2":null}}}`, with each user's info unchanged (§3.2).
 * @returns a JSON string that contains this JSON
 */
export function rosterText(members: readonly Member[]): string {
  let text = rosterTexts.get(members);
  if (text === undefined) rosterTexts.set(members, (text = written(members)));
  return text;
}

function written(members: readonly Member[]): string {
  let ids = '';
  let hash = '';
  for (const member of members) {
    const { id, info } = rosterEntries.get(member) ?? rosterEntry(member);
    const comma = ids === '' ? '' : ',';
    ids += comma + id;
    hash += `${comma}${id}:${info}`;
  }
  return `"{\\"presence\\":{\\"count\\":${members.length},\\"ids\\":[${ids}],\\"hash\\":{${hash}}}}"`;
}

function rosterEntry(member: Member): RosterEntry {
  const entry = { id: escaped(JSON.stringify(member.userId)), info: escaped(member.userInfoJson ?? 'null') };
  rosterEntries.set(member, entry);
  return entry;
}

const escaped = (json: string): string => JSON.stringify(json).slice(1, -1);
