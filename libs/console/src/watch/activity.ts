import type { Observed, ObservedEvent } from 'rookery/internal/channels';
import type { Activity } from '../contract/index.js';

const maxCharacters = 10_240;
const maxMessage = 500;

/** Where and when something was observed; `count` identifies it within its process. */
export interface Observation {
  readonly node: string;
  readonly at: number;
  readonly count: number;
}

/** The id of the event at that position in its channel. */
export const eventIdOf = (channel: string, position: string): string => `${position}@${channel}`;

/** The id of any other activity. */
const idOf = ({ node, count }: Observation): string => `${node.slice(0, 8)}-${count}`;

/** @returns the channel and position in an {@link eventIdOf}, if it is one */
export function eventIn(id: string): { readonly channel: string; readonly position: string } | undefined {
  const at = id.indexOf('@');
  return at < 1 ? undefined : { position: id.slice(0, at), channel: id.slice(at + 1) };
}

/** @returns the count in an id of a process's activity, if it is one */
export function countIn(id: string, node: string): number | undefined {
  const prefix = `${node.slice(0, 8)}-`;
  return id.startsWith(prefix) ? Number(id.slice(prefix.length)) : undefined;
}

export function activityOf(observed: Observed, observation: Observation): Activity {
  const { kind, channel, socketId, userId, name, ms, data, code, message, refused, webhook, refusal } = observed;
  return {
    id: idOf(observation),
    at: observation.at,
    node: observation.node,
    kind,
    ...(channel !== undefined && { channel }),
    ...(socketId !== undefined && { socketId }),
    ...(userId !== undefined && { userId }),
    ...(name !== undefined && { name }),
    ...(ms !== undefined && { ms }),
    ...(data !== undefined && { data: data.slice(0, maxCharacters) }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message: message.slice(0, maxMessage) }),
    ...(refused !== undefined && { refused }),
    ...(webhook && { webhook }),
    ...(refusal && { key: refusal.key }),
  };
}

/** An event as an activity: only now its text is parsed. */
export function eventActivityOf(
  { text, except = '' }: Pick<ObservedEvent, 'text' | 'except'>,
  position: string,
  isOfClient: boolean,
  observation: Observation,
): Activity {
  const { event: name, channel, data, user_id: userId } = JSON.parse(text) as EventText;
  return {
    id: position === '' ? idOf(observation) : eventIdOf(channel, position),
    at: observation.at,
    node: observation.node,
    kind: isOfClient ? 'client_event' : 'event',
    channel,
    ...(isOfClient && { socketId: except }),
    ...(userId !== undefined && { userId }),
    name,
    data: data.slice(0, maxCharacters),
    ...(except !== '' && { excluded: except }),
  };
}

/** As channels-wire §2 has it. */
interface EventText {
  readonly event: string;
  readonly channel: string;
  readonly data: string;
  readonly user_id?: string;
}

/** Removes the payload, and what a webhook's endpoint answered. */
export function withoutPayload({ data: _hidden, webhook, ...activity }: Activity): Activity {
  if (!webhook) return activity;
  const { answer: _answer, ...shown } = webhook;
  return { ...activity, webhook: shown };
}
