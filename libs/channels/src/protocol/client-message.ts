import { jsonFields, mayBeRewritten } from './json-fields.js';
import { jsonText } from './json-text.js';
import { ProtocolError } from './protocol-error.js';

/** A message from a client (channels-wire §1.4, §3, §4). The types of its fields are checked, their values are not. */
export type ClientMessage =
  | { readonly event: 'pusher:ping' }
  | { readonly event: 'pusher:pong' }
  | {
      readonly event: 'pusher:subscribe';
      readonly channel: string;
      readonly auth?: string;
      readonly channelData?: string;
    }
  | { readonly event: 'pusher:unsubscribe'; readonly channel: string }
  | { readonly event: 'pusher:signin'; readonly auth: string; readonly userData: string }
  | FeatureMessage
  | { readonly event: 'client'; readonly name: string; readonly channel: string; readonly data: string };

/** A message of a feature, which knows its fields. */
export interface FeatureMessage {
  readonly event: `rookery:${string}`;
}

/** Reads the messages of a feature. */
export interface MessageReader {
  /** @throws ProtocolError that names the fault */
  read(frame: Fields): FeatureMessage;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one text frame.
 * @param features reads the messages of features, by their events
 * @throws ProtocolError that names the fault; never another error, whatever the text contains
 */
export function parseClientMessage(text: string, features?: ReadonlyMap<string, MessageReader>): ClientMessage {
  const frame = asObject(parseJson(text), 'a JSON object is expected');
  const event = frame['event'];
  if (typeof event !== 'string') throw ProtocolError.malformed('event must be a string');
  switch (event) {
    case 'pusher:ping':
    case 'pusher:pong':
      return { event };
    case 'pusher:subscribe':
      return subscribe(dataOf(frame));
    case 'pusher:unsubscribe':
      return { event, channel: requiredText(dataOf(frame), 'channel') };
    case 'pusher:signin': {
      const data = dataOf(frame);
      return { event, auth: requiredText(data, 'auth'), userData: requiredText(data, 'user_data') };
    }
    default: {
      if (event.startsWith('client-')) return clientEvent(event, frame, text);
      const feature = features?.get(event);
      if (feature) return feature.read(frame);
      throw ProtocolError.unknownEvent(event);
    }
  }
}

function subscribe(data: Fields): ClientMessage {
  const channel = requiredText(data, 'channel');
  const auth = optionalText(data, 'auth', channel);
  const channelData = optionalText(data, 'channel_data', channel);
  return {
    event: 'pusher:subscribe',
    channel,
    ...(auth === undefined ? {} : { auth }),
    ...(channelData === undefined ? {} : { channelData }),
  };
}

// A string is relayed unchanged; anything else is encoded once, because some clients drop objects (§2).
function clientEvent(name: string, frame: Fields, sent: string): ClientMessage {
  const { channel, data } = frame;
  if (typeof channel !== 'string' || data === undefined) throw ProtocolError.invalidClientEvent();
  const text = typeof data === 'string' ? data : jsonText(data);
  if (text === undefined) throw ProtocolError.malformed('the JSON of data is nested too deeply');
  const isRewritten = typeof data !== 'string' && mayBeRewritten(sent);
  return { event: 'client', name, channel, data: (isRewritten && jsonFields(sent)?.get('data')) || text };
}

// The official clients send an object; a JSON string is accepted too (§2).
export function dataOf(frame: Fields): Fields {
  const data = frame['data'];
  return asObject(typeof data === 'string' ? parseJson(data) : data, 'data must be an object');
}

export function requiredText(data: Fields, field: string): string {
  const value = optionalText(data, field);
  if (value === undefined) throw ProtocolError.malformed(`${field} must be a string`);
  return value;
}

/** @param channel the channel of a subscribe, which its refusal names */
function optionalText(data: Fields, field: string, channel?: string): string | undefined {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw ProtocolError.malformed(`${field} must be a string`, channel);
  return value;
}

function asObject(value: unknown, expectation: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw ProtocolError.malformed(expectation);
  return value as Fields;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw ProtocolError.malformed('not JSON');
  }
}
