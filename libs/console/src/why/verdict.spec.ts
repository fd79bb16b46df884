import { describe, expect, it } from 'vitest';
import type { Activity } from '../contract/index.js';
import type { Step } from '../watch/trace-answers.js';
import type { SocketFacts } from '../watch/delivery-facts.js';
import { verdictOf } from './verdict.js';

const minute = 60_000;
/** The event was sent ten minutes after the server began. */
const at = 10 * minute;
const asked = { channel: 'news', position: '7', sent: { at, kind: 'event', channel: 'news' } as unknown as Activity };

/** Steps on the channel, by their time; each process counts them in order. */
const stepsOf = (...all: readonly (readonly [number, Activity['kind']])[]): readonly Step[] =>
  all.map(([time, kind]) => ({
    order: time,
    activity: { at: time, kind, channel: kind === 'connected' ? undefined : 'news' } as unknown as Activity,
  }));

/** Alice connected and subscribed, unsubscribed before the event, and subscribed again after it. */
const whole = stepsOf(
  [minute, 'connected'],
  [2 * minute, 'subscribed'],
  [9 * minute, 'unsubscribed'],
  [12 * minute, 'subscribed'],
);

const facts = (steps: readonly Step[], since: number): SocketFacts => ({
  socketId: '1.1',
  userId: 'alice',
  isOpen: true,
  isSubscribed: true,
  connectedAt: minute,
  steps,
  since,
  passed: { order: at, at },
});

describe('the verdict on a connection that left the channel before the event and came back after it', () => {
  it('is that it had unsubscribed, while its steps are known', () => {
    expect(verdictOf(asked, facts(whole, 0))).toMatchObject({
      verdict: 'not_delivered',
      reason: 'unsubscribed_before',
    });
    // The first steps are forgotten, and the one that decides is not.
    expect(verdictOf(asked, facts(whole.slice(2), 8 * minute))).toMatchObject({ reason: 'unsubscribed_before' });
  });

  it.each([
    ['only its return is known', whole.slice(3), 12 * minute],
    ['nothing of it is known', [], 13 * minute],
    ['it left once more', stepsOf([14 * minute, 'unsubscribed']), 13 * minute],
  ])('is unknown once the steps of that time are forgotten: %s', (_, steps, since) => {
    expect(verdictOf(asked, facts(steps, since))).toMatchObject({
      verdict: 'unknown',
      text: 'Its steps are known since {at}, and not whether it was subscribed before.',
      at: since,
    });
  });
});

it('is that it was delivered, if nothing has changed since before the event', () => {
  expect(verdictOf(asked, facts([], 5 * minute))).toMatchObject({ verdict: 'delivered' });
});

describe('the verdict on a connection that was not on the channel', () => {
  const refused = (by: string, message: string) =>
    facts(
      [
        ...stepsOf([minute, 'connected']),
        { order: 2, activity: { at: 2, kind: 'error', channel: 'news', refused: by, message } as unknown as Activity },
      ],
      0,
    );

  it.each([
    ['pusher:subscribe', 'No token', 'Its subscription was refused: No token.'],
    ['client', 'Not subscribed', 'It was not subscribed to the channel.'],
    ['rookery:seen', 'Not subscribed', 'It was not subscribed to the channel.'],
  ])('names the refusal of its subscription alone: %s', (by, message, text) => {
    expect(verdictOf(asked, refused(by, message))).toMatchObject({ reason: 'not_subscribed', text });
  });
});

it.each([
  ['', 'It was last here at {at}, and subscribed to news until then: Closed (1000).'],
  ['It left', 'It was last here at {at}, and subscribed to news until then: It left (1000).'],
  [undefined, 'It was last here at {at}, and subscribed to news until then: Connection lost (1000).'],
])('the verdict on a connection that was closed with the reason %j is a whole sentence', (message, text) => {
  const closed = { at: 3, kind: 'disconnected', code: 1000, message } as unknown as Activity;
  const steps = [
    ...stepsOf([1, 'connected'], [2, 'subscribed']),
    { order: 3, activity: closed, channels: ['news'] } as Step,
  ];
  expect(verdictOf(asked, { ...facts(steps, 0), isOpen: false })).toMatchObject({ reason: 'closed_before', text });
});
