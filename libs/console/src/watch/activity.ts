import type { Observed } from 'rookery/channels';
import type { Activity } from '../contract.js';

const mostCharacters = 10_240;
const mostMessage = 500;

/** The id of the event at that position in its channel. */
export const eventIdOf = (channel: string, position: string): string => `${position}@${channel}`;

/** @returns the channel and position in an {@link eventIdOf}, if it is one */
export function eventIn(id: string): { readonly channel: string; readonly position: string } | undefined {
  const at = id.indexOf('@');
  return at < 1 ? undefined : { position: id.slice(0, at), channel: id.slice(at + 1) };
}

export function activityOf(observed: Observed, node: string, at: number, count: number): Activity {
  const { kind, channel, socketId, userId, name, data, code, message, excluded, position, webhook } = observed;
  const isPlaced = position !== undefined && channel !== undefined;
  return {
    id: isPlaced ? eventIdOf(channel, position) : `${node.slice(0, 8)}-${count}`,
    at,
    node,
    kind,
    ...(channel !== undefined && { channel }),
    ...(socketId !== undefined && { socketId }),
    ...(userId !== undefined && { userId }),
    ...(name !== undefined && { name }),
    ...(data !== undefined && { data: data.slice(0, mostCharacters) }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message: message.slice(0, mostMessage) }),
    ...(excluded !== undefined && { excluded }),
    ...(webhook && { webhook }),
  };
}

/** Removes the payload, and what a webhook's endpoint answered. */
export function withoutPayload({ data: _hidden, webhook, ...activity }: Activity): Activity {
  if (!webhook) return activity;
  const { answer: _answer, ...shown } = webhook;
  return { ...activity, webhook: shown };
}
