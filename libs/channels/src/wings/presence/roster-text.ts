import type { Member } from 'rookery/presence';

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
 * `{"presence":{"count":2,"ids":["1","2"],"hash":{"1":{…},"2":null}}}`, with each user's info unchanged (channels-wire §3.2).
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
