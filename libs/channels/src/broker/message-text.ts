import { isObject, type JsonObject } from '#common';
import type { BrokerEvent, BrokerMessage, MemberChange, Topic } from './broker.js';

/** The head before an event's text: the rest of the message, without what the topic already says. */
export function headOf(message: BrokerMessage): string {
  if (message.kind === 'revoke') return JSON.stringify({ kind: message.kind, userId: message.userId });
  if (message.kind !== 'event') return JSON.stringify(message.kind);
  const { except, change, history, acceptedAt, asks, traceparent } = message;
  const fields = [except, change, history, acceptedAt, asks, traceparent];
  if (fields.every((field) => field === undefined)) return '';
  return JSON.stringify({ except, change, history, acceptedAt, asks, traceparent });
}

/** The position in a message's first line: sixteen digits. */
export function positionOf(payload: string): string | undefined {
  return /^\d{16}\n/.test(payload) ? payload.slice(0, 16) : undefined;
}

/**
 * A received message: its position, its head and an event's text, one per line. The text is unterminated. Undefined for
 * what no release writes, and for kinds of messages that only a later one knows.
 */
export function parseMessage(
  payload: string,
  topic: Topic,
): { readonly message: BrokerMessage; readonly position: string } | undefined {
  const position = positionOf(payload);
  const afterHead = payload.indexOf('\n', 17);
  if (position === undefined || afterHead < 0) return undefined;
  const text = payload.slice(afterHead + 1);
  const message = messageOf(payload.slice(17, afterHead), text, topic);
  return message && { message, position };
}

/** A message from its head and text. Undefined as in {@link parseMessage}. */
export function messageOf(headText: string, text: string, { appId, channel }: Topic): BrokerMessage | undefined {
  if (headText === '') return { kind: 'event', appId, channel, text };
  const head = parsed(headText);
  if (head === 'terminate' || head === 'reconnect') return { kind: head, appId, channel };
  if (!isObject(head)) return undefined;
  if (!('kind' in head)) return isEventHead(head) ? { kind: 'event', appId, channel, text, ...head } : undefined;
  const { kind, userId } = head;
  return kind === 'revoke' && typeof userId === 'string' ? { kind, appId, channel, userId } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each field is missing or of its type; those of a later release come along, and change nothing of the event. */
function isEventHead(
  head: JsonObject,
): head is JsonObject & Pick<BrokerEvent, 'except' | 'change' | 'history' | 'acceptedAt' | 'asks' | 'traceparent'> {
  const { except, change, history, acceptedAt, asks, traceparent } = head;
  return (
    !['appId', 'channel', 'text'].some((field) => field in head) &&
    [except, asks, traceparent].every((field) => field === undefined || typeof field === 'string') &&
    (acceptedAt === undefined || Number.isFinite(acceptedAt)) &&
    (change === undefined || isChange(change)) &&
    (history === undefined || (isObject(history) && Object.values(history).every(Number.isFinite)))
  );
}

function isChange(change: unknown): change is MemberChange {
  if (!isObject(change)) return false;
  const { userId, isPresent, version, previous } = change;
  return (
    typeof userId === 'string' &&
    typeof isPresent === 'boolean' &&
    Number.isFinite(version) &&
    (previous === undefined || Number.isFinite(previous))
  );
}
