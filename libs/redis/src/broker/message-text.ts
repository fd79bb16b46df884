import type { BrokerEvent, BrokerMessage, BrokerRevocation, Topic } from 'rookery/channels';

/** The head before an event's text: the rest of the message, without what the topic already says. */
export function headOf(message: BrokerMessage): string {
  if (message.kind === 'revoke') return JSON.stringify({ kind: message.kind, userId: message.userId });
  if (message.kind !== 'event') return JSON.stringify(message.kind);
  const { except, change, history, acceptedAt, asks, traceparent } = message;
  const fields = [except, change, history, acceptedAt, asks, traceparent];
  if (fields.every((field) => field === undefined)) return '';
  return JSON.stringify({ except, change, history, acceptedAt, asks, traceparent });
}

/** A received message: its position, its head and an event's text, one per line. The text is unterminated. */
export function parseMessage(
  payload: string,
  { appId, channel }: Topic,
): { readonly message: BrokerMessage; readonly position: string } {
  const afterPosition = payload.indexOf('\n');
  const afterHead = payload.indexOf('\n', afterPosition + 1);
  const position = payload.slice(0, afterPosition);
  const headText = payload.slice(afterPosition + 1, afterHead);
  const text = payload.slice(afterHead + 1);
  if (headText === '') return { message: { kind: 'event', appId, channel, text }, position };
  const fields: unknown = JSON.parse(headText);
  if (fields === 'terminate' || fields === 'reconnect') return { message: { kind: fields, appId, channel }, position };
  const head = fields as
    | Pick<BrokerRevocation, 'kind' | 'userId'>
    | Pick<BrokerEvent, 'except' | 'change' | 'acceptedAt' | 'asks' | 'traceparent'>; // By headOf.
  if ('kind' in head) return { message: { ...head, appId, channel }, position };
  return { message: { kind: 'event', appId, channel, text, ...head }, position };
}
