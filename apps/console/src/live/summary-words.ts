import { type Activity, type ActivityKind, replyWords } from '../api/contract.js';

/** The name of each kind, and the tone of its badge. */
export const kindNames: Readonly<Record<ActivityKind, readonly [name: string, tone: string]>> = {
  event: ['event', 'accent'],
  client_event: ['client event', 'violet'],
  request: ['request', 'violet'],
  subscribed: ['subscribed', 'teal'],
  unsubscribed: ['unsubscribed', ''],
  connected: ['connected', 'good'],
  disconnected: ['disconnected', ''],
  occupied: ['occupied', 'teal'],
  vacated: ['vacated', ''],
  member_added: ['member added', 'good'],
  member_removed: ['member removed', ''],
  signed_in: ['signed in', 'good'],
  webhook: ['webhook', 'warn'],
  error: ['error', 'bad'],
  slow_closed: ['closed as slow', 'bad'],
};

export const isEvent = ({ kind }: Activity): boolean => kind === 'event' || kind === 'client_event';

/** An activity as a line of a timeline. */
export const activityLine = (activity: Activity): string =>
  [activity.direction, kindNames[activity.kind]?.[0] ?? activity.kind, activity.channel, summaryOf(activity)]
    .filter(Boolean)
    .join(' ');

/** The text of one line, besides kind and channel. */
export function summaryOf(activity: Activity): string {
  const { kind, name, data, code, message, userId, webhook } = activity;
  switch (kind) {
    case 'event':
    case 'client_event':
      return [name, data].filter(Boolean).join('  ');
    case 'request':
      return `${name}  ${replyWords(activity)}`;
    case 'error':
    case 'slow_closed':
    case 'disconnected':
      return [code, message].filter(Boolean).join('  ');
    case 'webhook':
      return webhook ? webhookSummary(webhook) : '';
    case 'member_added':
    case 'member_removed':
    case 'signed_in':
      return userId ?? '';
    default:
      return data ?? message ?? '';
  }
}

function webhookSummary({ url, events, attempt, status, error }: NonNullable<Activity['webhook']>): string {
  const outcome = status ?? error ?? 'under way';
  return `${outcome}  ${events.join(', ')} to ${url}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
}

/** Whether the endpoint accepted it. */
export const wasTaken = ({ webhook }: Activity): boolean =>
  typeof webhook?.status === 'number' && webhook.status >= 200 && webhook.status < 300;
