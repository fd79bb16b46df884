import { type Activity, replyWords, type TimelineEntry } from '../contract/index.js';
import type { AskedEvent } from './verdict.js';
import type { SocketFacts } from '../watch/delivery-facts.js';

/** The steps of the connection and the event, in order. */
export function timelineOf({ channel, sent }: AskedEvent, facts: SocketFacts): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = facts.steps.map(({ activity }) => ({ at: activity.at, text: textOf(activity) }));
  const isConnectedKnown = facts.steps.some(({ activity }) => activity.kind === 'connected');
  if (facts.connectedAt !== null && !isConnectedKnown) entries.push({ at: facts.connectedAt, text: 'Connected' });
  if (sent) entries.push({ at: sent.at, text: `${sent.name ?? 'The event'} was sent to ${channel}` });
  if (facts.passed)
    entries.push({ at: facts.passed.at, text: 'The process of this connection sent the event to its subscribers' });
  return entries.toSorted((left, right) => left.at - right.at);
}

function textOf(activity: Activity): string {
  const { kind, channel, userId, name, code, message } = activity;
  switch (kind) {
    case 'connected':
      return 'Connected';
    case 'disconnected':
      return `Closed${code === null || code === undefined ? '' : ` with ${code}`}${message ? `: ${message}` : ''}`;
    case 'subscribed':
      return `Subscribed to ${channel}`;
    case 'unsubscribed':
      return `Unsubscribed from ${channel}`;
    case 'signed_in':
      return `Signed in as ${userId}`;
    case 'request':
      return `Asked ${name}: ${replyWords(activity)}`;
    case 'slow_closed':
      return 'Read too slowly';
    case 'error':
      return `Was refused: ${message}`;
    default:
      return kind;
  }
}
