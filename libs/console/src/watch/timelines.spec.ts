import type { Observed, OpenConnections, ShownConnectionInFull } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConsoleSettings } from '../console.options.js';
import { timelineOfAll } from './timeline-of-all.js';
import { Timelines } from './timelines.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

const [alice, other] = ['1.1', '2.2'];

/** A process with alice's open connection, whose clock goes on by a second with each step and event. */
class Process {
  readonly trace: Trace;
  private readonly timelines: Timelines;
  private position = 0;

  constructor(open: Partial<ShownConnectionInFull>[] = [{}], traceBytes = 1024 * 1024) {
    this.trace = new Trace({ ...new ConsoleSettings(), traceBytes });
    const base = { socketId: alice, userId: 'alice', isSignedIn: false, channels: [] };
    const connections = open.map((each) => ({ ...base, ...each }) as ShownConnectionInFull);
    const view: Pick<OpenConnections, 'find' | 'ofUser'> = {
      find: (_, socketId) => connections.find((each) => each.socketId === socketId),
      ofUser: () => connections,
    };
    const answers = new TraceAnswers(this.trace, new ThisNode());
    this.timelines = new Timelines(this.trace, answers, view as OpenConnections);
  }

  step(kind: Observed['kind'], more: Omit<Partial<Observed>, 'kind'> = {}): this {
    vi.advanceTimersByTime(1000);
    this.trace.add({ appId: 'shop', kind, socketId: alice, ...more }, Date.now());
    return this;
  }

  event(name: string, channel: string, how: { by?: string; except?: string; appId?: string } = {}): this {
    vi.advanceTimersByTime(1000);
    const { by, except = by, appId = 'shop' } = how;
    const text = JSON.stringify({ event: name, channel, data: '{"channel":"news"}' });
    const event = { appId, channel, text, ...(except !== undefined && { except }) };
    const position = String(++this.position);
    this.trace.passed(event, position);
    this.trace.sent(event, position, by !== undefined);
    return this;
  }

  ofConnection(most = 100) {
    return linesOf(this.timelines.ofConnection('shop', alice, most)!);
  }

  ofUser(most = 100) {
    return linesOf(this.timelines.ofUser('shop', 'alice', most));
  }
}

/** The first first. */
const linesOf = ({ activities, completeSince }: ReturnType<Timelines['ofUser']>) => ({
  lines: activities
    .map(({ direction, kind, channel, name }) => [direction, kind, channel, name].filter(Boolean).join(' '))
    .toReversed(),
  completeSince,
});

it('tells the events that a connection received while it was subscribed, and those that it sent', () => {
  const process = new Process([{ channels: ['news'] }])
    .step('connected')
    .event('too-early', 'news')
    .step('subscribed', { channel: 'news' })
    .event('e1', 'news')
    .step('subscribed', { channel: 'private-chat' })
    .event('client-own', 'private-chat', { by: alice })
    .event('client-others', 'private-chat', { by: other })
    .step('request', { channel: 'private-chat', name: 'move', ms: 12 })
    .step('unsubscribed', { channel: 'private-chat' })
    .event('client-late', 'private-chat', { by: other })
    .event('left-out', 'news', { except: alice })
    .event('of-another-app', 'news', { appId: 'bank' })
    .event('e2', 'news');
  expect(process.ofConnection()).toEqual({
    lines: [
      'connected',
      'subscribed news',
      'received event news e1',
      'subscribed private-chat',
      'sent client_event private-chat client-own',
      'received client_event private-chat client-others',
      'request private-chat move',
      'unsubscribed private-chat',
      'received event news e2',
    ],
    completeSince: 1000,
  });
});

it('tells of a user what their ended connections received, and events to the user while signed in', () => {
  const process = new Process([{ socketId: other, isSignedIn: true, channels: [] }])
    .step('connected')
    .step('subscribed', { channel: 'news' })
    .step('signed_in', { userId: 'alice' })
    .event('e1', 'news')
    .event('to-alice', '#server-to-user-alice')
    .event('to-bob', '#server-to-user-bob')
    .step('disconnected', { channels: new Map([['news', {}]]) })
    .event('late', 'news')
    .event('nobody', '#server-to-user-alice', { except: other })
    .step('connected', { socketId: other })
    .step('signed_in', { socketId: other, userId: 'alice' })
    .event('again', '#server-to-user-alice')
    .step('member_added', { socketId: '3.3', userId: 'bob', channel: 'presence-a' });
  expect(process.ofUser().lines).toEqual([
    'connected',
    'subscribed news',
    'signed_in',
    'received event news e1',
    'received event #server-to-user-alice to-alice',
    'disconnected',
    'connected',
    'signed_in',
    'received event #server-to-user-alice again',
  ]);
});

it('says since when it is complete: no longer than it has all steps and events, and the latest that fit', () => {
  const busy = new Process([{ channels: ['news'] }], 64 * 1024)
    .step('connected')
    .step('subscribed', { channel: 'news' });
  for (let n = 0; n < 500; n++) busy.event(`e${n}`, 'elsewhere');
  const { lines, completeSince } = busy.ofConnection();
  expect(lines).toEqual(['connected', 'subscribed news']);
  expect(completeSince).toBe(busy.trace.eventsSince);
  expect(completeSince).toBeGreaterThan(3000);

  const asking = new Process().step('connected');
  for (let n = 0; n < 3000; n++) asking.step('request', { socketId: other, channel: 'news', name: 'move' });
  expect(asking.ofConnection()).toEqual({ lines: ['connected'], completeSince: asking.trace.requestsSince });
  expect(asking.trace.requestsSince).toBeGreaterThan(3000);

  const talkative = new Process([{ channels: ['news'] }]).step('connected').step('subscribed', { channel: 'news' });
  for (let n = 0; n < 10; n++) talkative.event(`e${n}`, 'news');
  const few = talkative.ofConnection(3);
  expect(few.lines).toEqual(['received event news e7', 'received event news e8', 'received event news e9']);
  expect(few.completeSince).toBe(Date.now() - 2000);
  expect(talkative.ofConnection(12).completeSince).toBe(talkative.trace.since);
  // What fits exactly may hide what was before.
  const full = new Process([{ channels: ['news'] }]).event('e1', 'elsewhere').event('e2', 'elsewhere');
  full.step('subscribed', { channel: 'news' }).event('e3', 'news');
  expect(full.ofConnection(2).completeSince).toBe(Date.now() - 1000);
});

it('says that nothing is recorded', () => {
  expect(new Process([{}], 0).ofUser()).toEqual({ lines: [], completeSince: null });
});

it('is complete over all processes only since the last of them is', () => {
  const activity = (at: number) => ({ id: `${at}`, at, node: 'a', kind: 'event', data: 'secret' }) as const;
  const one = { activities: [activity(30), activity(10)], completeSince: 5 };
  const two = { activities: [activity(20)], completeSince: 15 };
  const all = { most: 100, hidePayloads: false };
  expect(timelineOfAll([one, null, two], 1, all)).toEqual({
    activities: [activity(30), activity(20), activity(10)],
    completeSince: 15,
    missingNodes: 1,
  });
  expect(timelineOfAll([one, two], 0, { most: 1, hidePayloads: true })).toMatchObject({
    activities: [expect.not.objectContaining({ data: 'secret' })],
    completeSince: 30,
  });
  expect(timelineOfAll([null], 0, all)).toEqual({ activities: [], completeSince: null, missingNodes: 0 });
});
