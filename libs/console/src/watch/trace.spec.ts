import type { Observed } from 'rookery/channels';
import { expect, it } from 'vitest';
import { activityOf } from './activity.js';
import { Trace } from './trace.js';

const traceOf = (all: readonly Observed[]): Trace => {
  const trace = new Trace();
  trace.begin(1);
  all.forEach((observed, n) => trace.add(observed, activityOf(observed, 'here', 1000 + n, n)));
  return trace;
};
const times = (count: number, make: (n: number) => Omit<Observed, 'appId'>): Observed[] =>
  Array.from({ length: count }, (_, n) => ({ appId: 'shop', ...make(n) }));

it('keeps the last thousand events', () => {
  const trace = traceOf(times(1500, (n) => ({ kind: 'event', channel: 'a', name: 'e', position: String(n) })));
  expect(trace.find('shop', '499@a')).toBeUndefined();
  expect(trace.find('shop', '500@a')).toBeDefined();
  expect(trace.find('shop', '1499@a')).toBeDefined();
  expect(trace.find('other', '1499@a')).toBeUndefined();
});

it('keeps the last steps of connections, and the time since which they are complete', () => {
  const trace = traceOf(times(6000, (n) => ({ kind: 'subscribed', channel: `c${n}`, socketId: '1.1' })));
  expect(trace.stepsOf('shop', '1.1')).toHaveLength(5000);
  expect(trace.since).toBe(1999);
});

it('keeps the last webhook attempts, the latest first', () => {
  const webhook = { url: 'http://a', events: [], status: 500, error: null, nextAt: null };
  const trace = traceOf(times(300, (n) => ({ kind: 'webhook', webhook: { ...webhook, attempt: n } })));
  const tries = trace.triesOf('shop').map((each) => each.webhook!.attempt);
  expect([tries.length, tries[0], tries.at(-1)]).toEqual([200, 299, 100]);
});

it('forgets everything when there are no viewers', () => {
  const trace = traceOf(times(3, (n) => ({ kind: 'subscribed', channel: `c${n}`, socketId: '1.1', userId: 'alice' })));
  expect(trace.socketsOf('shop', 'alice')).toEqual(['1.1']);
  trace.end();
  expect([trace.since, trace.socketsOf('shop', 'alice'), trace.stepsOf('shop', '1.1')]).toEqual([0, [], []]);
});
