import type { Observed, ObservedEvent } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { expect, it, vi } from 'vitest';
import { usedBytes } from '../../../../test/support/memory.js';
import { ConsoleSettings } from '../console.options.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';

const mega = 1024 * 1024;
const newTrace = (traceBytes = mega): Trace => new Trace({ ...new ConsoleSettings(), traceBytes });
const node = new ThisNode();
const answersOf = (trace: Trace): TraceAnswers => new TraceAnswers(trace, node);
const event = (n: number, data = '', channel = 'a'): ObservedEvent => ({
  appId: 'shop',
  channel,
  text: JSON.stringify({ event: `e${n}`, channel, data }),
});
const steps = (trace: Trace, count: number, make: (n: number) => Omit<Observed, 'appId'>): Trace => {
  for (let n = 0; n < count; n++) trace.add({ appId: 'shop', ...make(n) }, 1000 + n);
  return trace;
};
const all = () => true;

it('knows an event that was sent here and has passed to subscribers here', () => {
  const trace = newTrace();
  const own = event(1, 'x');
  trace.passed(own, '7');
  trace.sent(own, '7', false);
  expect(answersOf(trace).find('shop', '7@a')).toMatchObject({
    activity: { id: '7@a', kind: 'event', name: 'e1', data: 'x', channel: 'a' },
    passed: { order: 1 },
  });
  expect(answersOf(trace).find('other', '7@a')).toBeUndefined();
  trace.passed(event(2), '8');
  expect(answersOf(trace).find('shop', '8@a')).not.toHaveProperty('activity');
  const text = '{"event":"e","channel":"a","data":"x","user_id":"alice"}';
  trace.sent({ ...event(3), text, except: '1.1' }, '9', true);
  expect(answersOf(trace).find('shop', '9@a')).toMatchObject({
    activity: { kind: 'client_event', socketId: '1.1', userId: 'alice', excluded: '1.1' },
  });
  expect(answersOf(trace).find('shop', '9@a')).not.toHaveProperty('passed');
});

it('keeps the latest events, within its bytes', () => {
  vi.useFakeTimers();
  const trace = newTrace();
  trace.onApplicationBootstrap();
  const begun = Date.now();
  for (let n = 0; n < 8000; n++) {
    if (n % 1000 === 0) vi.advanceTimersByTime(1000);
    trace.sent(event(n, 'x'.repeat(100)), String(n), false);
  }
  expect(answersOf(trace).find('shop', '0@a')).toBeUndefined();
  expect(answersOf(trace).find('shop', '7999@a')).toBeDefined();
  expect(trace.eventsSince).toBeGreaterThan(begun + 1000);
  expect(trace.skippedAt).toBe(0);
  trace.onApplicationShutdown();
  vi.useRealTimers();
});

it('keeps at most 2,000 events a second, and tells when it left some out', () => {
  vi.useFakeTimers();
  const trace = newTrace(64 * mega);
  trace.onApplicationBootstrap();
  for (let n = 0; n < 3000; n++) trace.sent(event(n), String(n), false);
  expect(answersOf(trace).find('shop', '1999@a')).toBeDefined();
  expect(answersOf(trace).find('shop', '2000@a')).toBeUndefined();
  expect(trace.skippedAt).toBe(Date.now());
  vi.advanceTimersByTime(1000);
  trace.sent(event(1), 'next', false);
  expect(answersOf(trace).find('shop', 'next@a')).toBeDefined();
  trace.onApplicationShutdown();
  vi.useRealTimers();
});

it.each([
  ['events of ten kilobytes', (n: number) => event(n, `${n}${'\u{1F600}'.repeat(2500)}`)],
  ['long events with one wide character', (n: number) => event(n, `${n}${'x'.repeat(5000)}\u{1F600}`)],
  ['small events', (n: number) => event(n, `${n}`)],
])('holds no more memory than its bytes: %s', (_, make) => {
  const trace = newTrace(8 * mega);
  trace.onApplicationBootstrap();
  const before = usedBytes();
  for (let n = 0; n < 5000; n++) trace.sent(make(n), String(n), false);
  const held = usedBytes() - before;
  expect([...answersOf(trace).recent('shop', all, 10)]).toHaveLength(10);
  expect(held).toBeLessThan(8.5 * mega);
  trace.onApplicationShutdown();
});

it('holds no more memory than its bytes while clients connect, are refused, and bring long texts', () => {
  const trace = newTrace(8 * mega);
  const before = usedBytes();
  const long = (n: number): string => `${n}${'\u{1F600}'.repeat(100)}`;
  for (let n = 0; n < 40_000; n++) {
    const socketId = `${n}.1`;
    trace.add({ appId: 'shop', kind: 'connected', socketId }, n);
    trace.add({ appId: 'shop', kind: 'error', socketId, channel: 'c'.repeat(5000) + n, message: long(n) }, n);
    trace.add({ appId: 'shop', kind: 'request', socketId, name: long(n), message: long(n), code: 404 }, n);
    const channels = new Map(Array.from({ length: 50 }, (_, i) => [`${i} ${n}`, undefined]));
    trace.add({ appId: 'shop', kind: 'disconnected', socketId, code: 1000, channels }, n);
    const refusal = { key: long(n), remoteAddress: '::1', origin: long(n) };
    trace.add({ appId: undefined, kind: 'error', code: 4001, message: long(n), refusal }, n);
  }
  const held = usedBytes() - before;
  expect(answersOf(trace).refusalsOf('shop', 10)[0]).toMatchObject({ key: long(39_999), code: 4001, isOfApp: false });
  expect(held).toBeLessThan(8.5 * mega);
});

it('keeps the latest steps of connections, and since when they are complete', () => {
  const trace = steps(newTrace(), 6000, (n) => ({ kind: 'subscribed', channel: `c${n}`, socketId: '1.1' }));
  const kept = answersOf(trace).stepsOf('shop', '1.1');
  expect(kept.at(-1)!.activity).toMatchObject({ channel: 'c5999', at: 6999 });
  expect(kept.length).toBeLessThan(1000);
  expect(trace.since).toBe(kept[0]!.activity.at);
});

it('knows since when it runs while nothing had to make room', () => {
  const begun = Date.now();
  const trace = newTrace();
  expect(trace.since).toBeGreaterThanOrEqual(begun);
  expect(trace.since).toBeLessThanOrEqual(Date.now());
  expect(trace.eventsSince).toBe(trace.since);
});

it('keeps the channels of an ended connection as they were, unless they are many', () => {
  const trace = newTrace();
  const channels = new Map([['a', {}]]);
  trace.add({ appId: 'shop', kind: 'disconnected', socketId: '1.1', channels }, 1);
  channels.clear();
  const many = new Map(Array.from({ length: 51 }, (_, n) => [`c${n}`, {}]));
  trace.add({ appId: 'shop', kind: 'disconnected', socketId: '1.2', channels: many }, 2);
  expect(answersOf(trace).stepsOf('shop', '1.1')[0]!.channels).toEqual(['a']);
  expect(answersOf(trace).stepsOf('shop', '1.2')[0]).not.toHaveProperty('channels');
});

it('keeps webhook attempts, the latest first', () => {
  const webhook = { id: 'one', url: 'http://a', events: ['e'], status: 500, error: null, nextAt: null };
  const trace = steps(newTrace(), 300, (n) => ({ kind: 'webhook', webhook: { ...webhook, attempt: n } }));
  const tries = answersOf(trace)
    .triesOf('shop', 50)
    .map((each) => each.webhook!.attempt);
  expect([tries.length, tries[0]]).toEqual([50, 299]);
  expect(answersOf(trace).triesOf('other', 50)).toEqual([]);
});

it('holds no more memory than its bytes for webhooks, whose bodies and answers may be long', () => {
  const trace = newTrace(8 * mega);
  const before = usedBytes();
  for (let n = 0; n < 2000; n++) {
    const webhook = {
      id: 'one',
      url: 'http://a',
      events: ['e'],
      status: 500,
      error: 'failed',
      nextAt: null,
      attempt: n,
    };
    const observed = {
      data: `${n}${'\u{1F600}'.repeat(20_000)}`,
      webhook: { ...webhook, answer: 'x'.repeat(1000) + n },
    };
    trace.add({ appId: 'shop', kind: 'webhook', ...observed }, n);
  }
  const held = usedBytes() - before;
  expect(answersOf(trace).triesOf('shop', 1)[0]).toMatchObject({ kind: 'webhook', webhook: { attempt: 1999 } });
  expect(answersOf(trace).triesOf('shop', 1)[0]!.data!.length).toBeGreaterThan(10_000);
  // Unbounded, it would be 40 MB.
  expect(held).toBeLessThan(4 * mega);
});

it('does not let refused connections push out anything else', () => {
  const trace = steps(newTrace(), 1, () => ({ kind: 'connected', socketId: '1.1' }));
  trace.sent(event(1), '7', false);
  const refusal = { key: 'k', remoteAddress: '', origin: undefined };
  const refused = { appId: undefined, kind: 'error', code: 4001, message: 'App key k not in…', refusal } as const;
  for (let n = 0; n < 10_000; n++) trace.add(refused, n);
  expect(answersOf(trace).stepsOf('shop', '1.1')).toHaveLength(1);
  expect(answersOf(trace).find('shop', '7@a')).toBeDefined();
});

it('tells of requests among the steps of their connection, and lets none push out a step', () => {
  const trace = newTrace();
  const alice = { appId: 'shop', socketId: '1.1', userId: 'alice' } as const;
  trace.add({ ...alice, kind: 'signed_in' }, 1);
  trace.add({ ...alice, kind: 'request', name: 'move', ms: 12 }, 2);
  trace.add({ ...alice, kind: 'subscribed', channel: 'a' }, 3);
  const kinds = ['signed_in', 'request', 'subscribed'];
  expect(answersOf(trace).stepsOf('shop', '1.1')).toMatchObject(kinds.map((kind) => ({ activity: { kind } })));
  for (let n = 0; n < 2000; n++) trace.add({ ...alice, kind: 'request', name: 'x'.repeat(5000), ms: n }, 4);
  const left = answersOf(trace).stepsOf('shop', '1.1');
  expect(left.filter(({ activity }) => activity.kind !== 'request')).toHaveLength(2);
  expect(left.length).toBeLessThan(100);
});

it('tells the latest activities of an app, and any one by its id', () => {
  const trace = newTrace();
  trace.add({ appId: 'shop', kind: 'connected', socketId: '1.1' }, Date.now() - 3);
  trace.add({ appId: 'other', kind: 'connected', socketId: '1.2' }, Date.now() - 2);
  const refusal = { key: 'k', remoteAddress: '', origin: undefined };
  trace.add({ appId: 'shop', kind: 'error', code: 4009, message: 'Origin not allowed', refusal }, Date.now() - 1);
  trace.sent(event(1), '7', false);
  const recent = answersOf(trace).recent('shop', all, 10);
  expect(recent.map(({ kind }) => kind)).toEqual(['event', 'error', 'connected']);
  for (const each of recent) expect(answersOf(trace).activity('shop', each.id)).toEqual(each);
  expect(answersOf(trace).activity('other', recent[2]!.id)).toBeUndefined();
  expect(answersOf(trace).activity('shop', 'nonsense')).toBeUndefined();
  expect(answersOf(trace).recent('shop', ({ kind }) => kind === 'error', 10)).toHaveLength(1);
});

it('finds the connections of a user, and the apps of a connection or a user', () => {
  const trace = newTrace();
  trace.add({ appId: 'shop', kind: 'signed_in', socketId: '1.1', userId: 'alice' }, 1);
  trace.add({ appId: 'other', kind: 'subscribed', channel: 'a', socketId: '1.2', userId: 'alice' }, 2);
  expect(answersOf(trace).socketsOf('shop', 'alice')).toEqual(['1.1']);
  expect(answersOf(trace).appsOf({ userId: 'alice' })).toEqual(['shop', 'other']);
  expect(answersOf(trace).appsOf({ socketId: '1.2' })).toEqual(['other']);
});
