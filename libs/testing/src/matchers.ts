import { inspect } from 'node:util';
import type { RecordedEvent } from './client/recorded-event.js';
import type { Push } from './gateways/push-record.js';
import { until } from './until.js';

/** Shorter than the 5 seconds that a test of Jest has. */
const patienceMs = 4000;

/** A receiver of events: a client, or the server for all of its channels. */
export interface ReceivesEvents {
  readonly events: readonly RecordedEvent[];
  /** Waits for everything in transit. */
  settled(): Promise<void>;
}

/** A recorder of pushes: the server. */
export interface RecordsPushes {
  readonly pushes: readonly Push[];
  settled(): Promise<void>;
}

/** The target of a push: one of these. */
export interface PushTarget {
  readonly user?: string;
  readonly interest?: string;
  readonly deviceId?: string;
  readonly token?: string;
}

/** The `this` of a matcher in Jest and Vitest. */
interface MatcherContext {
  readonly isNot?: boolean;
  equals(actual: unknown, expected: unknown): boolean;
}

interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/**
 * For `expect.extend` of Jest and Vitest. Each waits up to four seconds for its condition; with `not`, until everything
 * in transit has arrived. Data may contain asymmetric matchers, such as `expect.objectContaining`.
 */
export const rookeryMatchers = {
  /** `await expect(client).toHaveReceivedEvent('orders', 'shipped', { id: 7 })`; on the server: sent to the channel. */
  toHaveReceivedEvent(
    this: MatcherContext,
    received: ReceivesEvents,
    channel: string,
    event: string,
    ...data: readonly [unknown?]
  ): Promise<MatcherResult> {
    const fits = (each: RecordedEvent): boolean =>
      each.channel === channel &&
      each.event === event &&
      (data.length === 0 || this.equals(each.data, data[0]) || this.equals(each.rawData, data[0]));
    const wanted = { channel, event, ...(data.length > 0 && { data: data[0] }) };
    const got = () => received.events.map((each) => ({ channel: each.channel, event: each.event, data: each.data }));
    return judged(this, received, () => received.events.some(fits), 'to have received', wanted, got);
  },

  /**
   * `await expect(rookery).toHaveBeenPushedTo({ user: 'ann' }, { notification: { title: 'Hi' } })`: it was delivered.
   */
  toHaveBeenPushedTo(
    this: MatcherContext,
    rookery: RecordsPushes,
    target: PushTarget,
    ...payload: readonly [unknown?]
  ): Promise<MatcherResult> {
    const fits = (push: Push): boolean =>
      isFor(push, target) && isDelivered(push) && (payload.length === 0 || this.equals(push.payload, payload[0]));
    const wanted = { ...target, ...(payload.length > 0 && { payload: payload[0] }) };
    return judged(
      this,
      rookery,
      () => rookery.pushes.some(fits),
      'to have pushed to',
      wanted,
      () => rookery.pushes,
    );
  },
};

/** An accepted web push is answered 201 or 202. */
const isDelivered = ({ answer }: Push): boolean => answer === 'delivered' || answer === 201 || answer === 202;

const isFor = (push: Push, { user, interest, deviceId, token }: PushTarget): boolean =>
  (user === undefined || push.user === user) &&
  (interest === undefined || push.interests.includes(interest)) &&
  (deviceId === undefined || push.deviceId === deviceId) &&
  (token === undefined || push.token === token);

async function judged(
  { isNot = false }: MatcherContext,
  received: { settled(): Promise<void> },
  isThere: () => boolean,
  words: string,
  wanted: unknown,
  got: () => unknown,
): Promise<MatcherResult> {
  if (isNot) await received.settled();
  else await until(isThere, '', patienceMs).catch(() => undefined);
  const pass = isThere();
  const message = () => `expected ${pass ? 'not ' : ''}${words} ${shown(wanted)}, got ${shown(got())}`;
  return { pass, message };
}

const shown = (value: unknown): string => inspect(value, { depth: 6 });
