import { isObject } from '#common';
import { jsonIn } from '#http';
import type { ChannelsLimits } from '../app/channels-limits.js';
import {
  badRequest,
  ChannelsApiError,
  dataTooLarge,
  invalidChannel,
  invalidInfo,
  missing,
  quoted,
} from '../channels.errors.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import { isSocketId } from '../protocol/socket-id.js';
import type { ChannelAttributes } from './channels.service.js';

/** An event that is fully checked and can be published. */
export interface CheckedEvent {
  readonly name: string;
  readonly data: string;
  /** Without duplicates. */
  readonly channels: readonly ChannelName[];
  readonly socketId: string | undefined;
  readonly info: readonly string[];
  /** The request, for the fields of features. */
  readonly given: RequestFields;
  /** See {@link SentEvent}. */
  readonly asks?: string;
  /** What features add to the attributes of its channel in the answer. */
  readonly attributes?: ChannelAttributes;
}

export const countAttributes = ['user_count', 'subscription_count'] as const;
export type CountAttribute = (typeof countAttributes)[number];

export type RequestFields = Readonly<Record<string, unknown>>;

/** What features add to the parameters of a trigger. */
export interface RequestExtensions {
  /** What `info` may request. */
  readonly attributes: readonly string[];
  /** @throws ChannelsApiError 400 */
  checkFields(given: RequestFields): void;
}

const none: RequestExtensions = { attributes: countAttributes, checkFields: () => undefined };

/**
 * Checks the parameters of POST events (api § Event, § Limits).
 * @throws ChannelsApiError 400 or 413
 */
export function checkTrigger(event: object, limits: ChannelsLimits, extensions = none): CheckedEvent {
  const given = event as RequestFields;
  const names = given['channels'] ?? (given['channel'] === undefined ? undefined : [given['channel']]);
  if (names === undefined) throw missing('channels');
  if (!Array.isArray(names) || names.length === 0)
    throw badRequest('channels must be an array of 1 or more channel names');
  if (names.length > limits.channelsPerTrigger)
    throw badRequest(`Too many channels (${names.length} > ${limits.channelsPerTrigger})`);
  const distinct: readonly unknown[] = names.length === 1 ? names : [...new Set<unknown>(names)];
  const channels = distinct.map((name) => channelOf(name, limits));
  if (names.length > 1 && channels.some(({ isEncrypted }) => isEncrypted))
    throw badRequest('An event for an encrypted channel cannot be triggered on other channels too');
  return checked(given, channels, limits, extensions);
}

/**
 * Checks one item of POST batch_events: like an event, with exactly one `channel`.
 * @throws ChannelsApiError that names the item, except for a missing channel: test suites compare that sentence
 */
export function checkBatchItem(given: unknown, index: number, limits: ChannelsLimits, extensions = none): CheckedEvent {
  if (!isObject(given)) throw badRequest('each event of the batch must be an object');
  if (given['channel'] === undefined || given['channel'] === null) throw missing('channel');
  try {
    return checked(given, [channelOf(given['channel'], limits)], limits, extensions);
  } catch (error) {
    if (!(error instanceof ChannelsApiError)) throw error;
    throw new ChannelsApiError(error.code, error.status, `${error.message} (event ${index + 1} of the batch)`);
  }
}

/**
 * @returns the attributes that an `info` parameter requests
 * @throws ChannelsApiError 400 when one of them is unknown
 */
export function parseInfo<T extends string>(info: unknown, known: readonly T[]): readonly T[] {
  if (info === undefined || info === null || info === '') return [];
  if (typeof info !== 'string') throw invalidInfo(known);
  return info.split(',').map((text) => {
    const attribute = known.find((each) => each === text.trim());
    if (attribute === undefined) throw invalidInfo(known);
    return attribute;
  });
}

function checked(
  given: RequestFields,
  channels: readonly ChannelName[],
  limits: ChannelsLimits,
  extensions: RequestExtensions,
): CheckedEvent {
  const { name, data, socket_id: socketId, info: asked } = given;
  if (name === undefined || name === null) throw missing('name');
  if (typeof name !== 'string' || name === '') throw badRequest('name must be a text that is not empty');
  if (name.length > limits.eventNameLength)
    throw badRequest(`Event name is longer than ${limits.eventNameLength} characters`);
  if (name.startsWith('pusher:') || name.startsWith('pusher_internal:'))
    throw badRequest(`Event name ${quoted(name)} is reserved: it begins with pusher: or pusher_internal:`);
  if (data === undefined || data === null) throw missing('data');
  if (socketId !== undefined && socketId !== null && !isSocketId(socketId))
    throw badRequest(`Invalid socket id: ${quoted(socketId)}`);
  const text = typeof data === 'string' ? data : jsonIn('data', data, badRequest);
  if (isLonger(text, limits.eventDataBytes)) throw dataTooLarge(limits.eventDataBytes);
  extensions.checkFields(given);
  const info = parseInfo(asked, extensions.attributes);
  return { name, data: text, channels, socketId: socketId ?? undefined, info, given };
}

function channelOf(name: unknown, limits: ChannelsLimits): ChannelName {
  const channel = parseChannelName(name, limits);
  if (!channel) throw invalidChannel(name);
  return channel;
}

// Most events are far below the limit, which spares counting their bytes.
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}
