import { isCacheChannel } from 'rookery/internal/channels';
import type { Activity, Verdict } from '../contract/index.js';
import type { Step } from '../watch/trace-answers.js';
import type { SocketFacts } from '../watch/delivery-facts.js';

type Reason =
  | 'delivered'
  | 'not_connected'
  | 'offline'
  | 'other_app'
  | 'not_subscribed'
  | 'subscribed_later'
  | 'unsubscribed_before'
  | 'excluded'
  | 'slow_closed'
  | 'closed_before'
  | 'over_limit'
  | 'replayed'
  | 'expired'
  | 'not_traced';

/** The question. */
export interface AskedEvent {
  readonly channel: string;
  readonly position: string;
  /** The event's position, if a process has it in its trace. */
  readonly sent: Activity | null;
}

const delivered = (reason: Reason, text: string): Verdict => ({ verdict: 'delivered', reason, text });

/** @param at the time for which `{at}` stands */
const not = (reason: Reason, text: string, at?: number): Verdict => ({
  verdict: 'not_delivered',
  reason,
  text,
  ...(at !== undefined && { at }),
});
const unknown = (text: string, at?: number): Verdict => ({ ...not('not_traced', text, at), verdict: 'unknown' });

/** If a connection closes this soon after an event, the event may still have been in its buffer. */
const slowMs = 10_000;

/** The verdict on a connection that some process has, or had while it was traced. */
export function verdictOf(event: AskedEvent, facts: SocketFacts): Verdict {
  const at = facts.passed?.at ?? event.sent?.at;
  if (at === undefined) return unknown('The server no longer keeps the event.');
  if (event.sent?.excluded === facts.socketId)
    return not('excluded', 'The event excludes this connection, which usually is its sender.');
  const isBefore = beforeOf(facts, at);
  const [before, after] = [facts.steps.filter(isBefore), facts.steps.filter((step) => !isBefore(step))];
  const later = givenLater(event, after);
  if (later) return later;
  const wasOpen = isOpenThen(event.channel, facts, before, after, at);
  if (wasOpen !== undefined) return wasOpen;
  const wasOn = isOnThen(event.channel, facts, before, after, at);
  if (wasOn === undefined)
    return unknown('Its steps are known since {at}, and not whether it was subscribed before.', facts.since);
  return wasOn ? onChannel(facts, after, at) : offChannel(event, before, after);
}

/** The steps before the event: by order within its process, otherwise by time. */
const beforeOf =
  ({ passed }: SocketFacts, at: number) =>
  ({ order, activity }: Step): boolean =>
    passed ? order < passed.order : activity.at <= at;

function isOpenThen(
  channel: string,
  facts: SocketFacts,
  before: readonly Step[],
  after: readonly Step[],
  at: number,
): Verdict | undefined {
  const closed = before.find(({ activity }) => activity.kind === 'disconnected');
  if (closed && before.some(({ activity }) => activity.kind === 'slow_closed'))
    return not('slow_closed', 'It was closed before, because it read too slowly.');
  if (closed) return not('closed_before', `It was ${lastSeen(channel, closed)}`, closed.activity.at);
  const isLater = after.some(({ activity }) => activity.kind === 'connected') || (facts.connectedAt ?? 0) > at;
  return isLater ? not('not_connected', 'It was not connected yet.') : undefined;
}

/** A channel's cached event is sent to every later subscriber, whether or not it was subscribed before. */
function givenLater({ position }: AskedEvent, after: readonly Step[]): Verdict | undefined {
  const joined = after.find(({ activity }) => activity.kind === 'subscribed');
  if (joined?.replayedTo !== undefined && joined.replayedTo >= position)
    return delivered('replayed', 'It reconnected later, and got the event from the history of the channel.');
  if (joined?.remembered === position)
    return delivered('replayed', 'It subscribed later, and got the event as the last one that the channel remembers.');
  return undefined;
}

/** Whether it was subscribed when the event was delivered; undefined if unknown. */
function isOnThen(
  channel: string,
  { isOpen, isSubscribed, since }: SocketFacts,
  before: readonly Step[],
  after: readonly Step[],
  at: number,
): boolean | undefined {
  const comesOrGoes = ({ activity: { kind } }: Step): boolean => kind === 'subscribed' || kind === 'unsubscribed';
  const last = before.findLast(comesOrGoes);
  if (last) return last.activity.kind === 'subscribed';
  if (before.some(({ activity }) => activity.kind === 'connected')) return false;
  // It may have come and gone between the event and the first step that is left.
  if (since > at) return undefined;
  const next = after.find(comesOrGoes);
  if (next) return next.activity.kind === 'unsubscribed';
  const ended = after.find(({ activity }) => activity.kind === 'disconnected');
  if (ended) return ended.channels?.includes(channel);
  return isOpen ? isSubscribed : undefined;
}

function onChannel({ passed }: SocketFacts, after: readonly Step[], at: number): Verdict {
  if (!passed) return unknown('It was subscribed, but its process no longer knows whether the event arrived there.');
  const slow = after.find(({ activity }) => activity.kind === 'slow_closed');
  if (slow && slow.activity.at - at < slowMs)
    return {
      ...unknown('It was closed soon after, because it read too slowly: queued events were lost.'),
      reason: 'slow_closed',
    };
  return delivered('delivered', 'It was subscribed when the event arrived, and the event was written to it.');
}

function offChannel({ channel }: AskedEvent, before: readonly Step[], after: readonly Step[]): Verdict {
  const joined = after.find(({ activity }) => activity.kind === 'subscribed');
  if (before.some(({ activity }) => activity.kind === 'unsubscribed'))
    return not('unsubscribed_before', 'It had unsubscribed before.');
  if (joined && isCacheChannel(channel) && joined.remembered === undefined)
    return not('expired', 'It subscribed later, when the channel no longer remembered the event.');
  if (joined) return not('subscribed_later', 'It subscribed only later.');
  const refused = before.findLast(
    ({ activity }) => activity.channel === channel && activity.refused === 'pusher:subscribe',
  )?.activity;
  if (refused && (refused.code === 4301 || /\bis full|limit|quota/i.test(refused.message ?? '')))
    return not('over_limit', `Its subscription was refused by a limit: ${refused.message}.`);
  if (refused) return not('not_subscribed', `Its subscription was refused: ${refused.message}.`);
  return not('not_subscribed', 'It was not subscribed to the channel.');
}

/** When an ended connection was last here, and whether it was on the channel. */
function lastSeen(channel: string, { channels, activity }: Step): string {
  const { code } = activity;
  // A client need not give a reason.
  const message = activity.message === undefined ? 'Connection lost' : activity.message || 'Closed';
  const joined = channels?.includes(channel)
    ? `subscribed to ${channel} until then`
    : `had not subscribed to ${channel}`;
  const end = `${message}${code === null || code === undefined ? '' : ` (${code})`}`;
  return `last here at {at}, ${channels ? `and ${joined}` : 'before the event'}: ${end}.`;
}

/** What all processes know about a user or a socket, besides the connections. */
export interface CurrentLocation {
  /** Other apps that it is connected to, and was. */
  readonly connectedElsewhere: readonly string[];
  readonly elsewhere: readonly string[];
  /** Since when connections are known. */
  readonly since: number;
  /** Processes that did not answer. */
  readonly missing: number;
}

/** The verdict on a socket that no process knows in this app. */
export function absentSocket(
  { connectedElsewhere, elsewhere, since, missing }: CurrentLocation,
  appId: string,
): Verdict {
  const [now] = connectedElsewhere;
  if (now !== undefined) return not('other_app', `This socket is connected to app ${now}, not to ${appId}.`);
  const [before] = elsewhere;
  if (before !== undefined) return not('other_app', `This socket was connected to app ${before}, not to ${appId}.`);
  if (missing > 0) return unknown('A process did not answer: it may have the connection.');
  return not('not_connected', 'No process has had this connection since {at}.', since);
}

/** The verdict on a user without a connection at the time of the event; undefined if there was one. */
export function offlineUser(
  { channel, sent }: AskedEvent,
  userId: string,
  sockets: readonly { readonly facts: SocketFacts; readonly verdict: Verdict }[],
  location: CurrentLocation,
  appId: string,
): Verdict | undefined {
  const wasOffline = ({ verdict: { reason } }: { readonly verdict: Verdict }): boolean =>
    reason === 'closed_before' || reason === 'not_connected';
  if (!sockets.every(wasOffline)) return undefined;
  const [now] = location.connectedElsewhere;
  if (now !== undefined && sockets.length === 0)
    return not('other_app', `${userId} is connected to app ${now}, not to ${appId}.`);
  const ends = sockets.flatMap(({ facts, verdict }) =>
    verdict.reason === 'closed_before' ? facts.steps.filter(({ activity }) => activity.kind === 'disconnected') : [],
  );
  const last = ends.toSorted((left, right) => left.activity.at - right.activity.at).at(-1);
  if (last) return not('offline', `${userId} was ${lastSeen(channel, last)}`, last.activity.at);
  const { since, missing } = location;
  const came = Math.min(...sockets.map(({ facts }) => cameAt(facts)));
  if (missing > 0) return unknown(`A process did not answer: it may have connections of ${userId}.`);
  if (!sent || sent.at < since) return unknown('Connections are known since {at}, and the event may be older.', since);
  if (sockets.length > 0)
    return not('offline', `${userId} was offline: the first connection that is known began at {at}.`, came);
  return not('offline', `No user ${userId} has been connected since {at}.`, since);
}

/** Those whose beginning is not known come first: they may be the latest. */
export function latestFirst(left: SocketFacts, right: SocketFacts): number {
  const [one, other] = [cameAt(left), cameAt(right)];
  return one === other ? 0 : other - one;
}

const cameAt = ({ connectedAt, steps }: SocketFacts): number =>
  connectedAt ?? steps.find(({ activity }) => activity.kind === 'connected')?.activity.at ?? Infinity;
