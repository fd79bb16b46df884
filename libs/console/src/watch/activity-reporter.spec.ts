import { type NodeRpc, ActivityTap, type ObservedEvent } from 'rookery/channels';
import { ThisNode } from '#common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConsoleSettings } from '../console.options.js';
import { ChannelRates } from './channel-rates.js';
import { EndpointHealths } from './endpoint-health.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';
import { type ActivityMessage, ActivityReporter } from './activity-reporter.js';

type Listener = (word: { readonly apps: readonly string[] }, from: string) => void;

/** Calls between processes, one of which has a viewer. */
class Calls {
  readonly told: { readonly node: string; readonly word: ActivityMessage }[] = [];
  look: Listener = () => {};

  on(_subject: object, listener: Listener): void {
    this.look = listener;
  }

  open(): void {}

  notify(node: string, _subject: object, word: ActivityMessage): void {
    this.told.push({ node, word });
  }
}

let calls: Calls;
let tap: ActivityTap;
let viewers: ActivityReporter;
const event = (data: string): ObservedEvent => ({
  appId: 'shop',
  channel: 'a',
  text: JSON.stringify({ event: 'e', channel: 'a', data }),
});
const newViewers = (traceBytes: number): ActivityReporter => {
  const node = new ThisNode();
  const trace = new Trace({ ...new ConsoleSettings(), traceBytes });
  // The viewers use only these methods.
  return new ActivityReporter(
    calls as unknown as NodeRpc,
    tap,
    trace,
    new TraceAnswers(trace, node),
    new EndpointHealths(),
    new ChannelRates(),
    node,
  );
};

beforeEach(() => {
  vi.useFakeTimers();
  calls = new Calls();
  tap = new ActivityTap();
  viewers = newViewers(1024 * 1024);
  viewers.onApplicationBootstrap();
});
afterEach(() => {
  viewers.onApplicationShutdown();
  vi.useRealTimers();
});

it('observe always, whether or not there is a viewer', () => {
  expect(tap.observer).toBe(viewers);
  calls.look({ apps: ['shop'] }, 'far');
  vi.advanceTimersByTime(7000);
  expect(tap.observer).toBe(viewers);
  viewers.sent(event('later'), '1');
  vi.advanceTimersByTime(100);
  expect(calls.told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('observe nothing without a viewer if nothing is to be kept, and stop soon after the last one', () => {
  viewers.onApplicationShutdown();
  viewers = newViewers(0);
  viewers.onApplicationBootstrap();
  expect(tap.observer).toBeUndefined();
  calls.look({ apps: ['shop'] }, 'far');
  expect(tap.observer).toBe(viewers);
  vi.advanceTimersByTime(7000);
  expect(tap.observer).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('tell a new viewer what happened before', () => {
  viewers.sent(event('before'), '1');
  calls.look({ apps: ['shop'] }, 'far');
  calls.look({ apps: ['shop'] }, 'far');
  calls.look({ apps: ['other'] }, 'elsewhere');
  expect(calls.told).toMatchObject([{ node: 'far', word: { appId: 'shop', activities: [{ data: 'before' }] } }]);
});

it('report an event once its position is known, and none that could not be published', async () => {
  calls.look({ apps: ['shop'] }, 'far');
  viewers.sent(event('placed'), Promise.resolve('7'));
  viewers.sent(event('lost'), Promise.reject(new Error('the broker is down')));
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.told[0]!.word.activities).toMatchObject([{ id: '7@a', data: 'placed' }]);
});

it('send each viewer of the app a limited batch, and the number left out', () => {
  calls.look({ apps: ['shop'] }, 'far');
  calls.look({ apps: ['other'] }, 'elsewhere');
  for (let n = 0; n < 1200; n++) viewers.sent(event('small'), String(n));
  vi.advanceTimersByTime(100);
  expect(calls.told.map(({ node, word }) => [node, word.activities.length, word.dropped])).toEqual([['far', 500, 700]]);
  viewers.sent(event('next'), '1');
  vi.advanceTimersByTime(100);
  expect(calls.told.at(-1)!.word).toMatchObject({ activities: [{ data: 'next' }], dropped: 0 });
});

it('send at most half a megabyte of payloads at once, and ten kilobytes of each', () => {
  calls.look({ apps: ['shop'] }, 'far');
  for (let n = 0; n < 200; n++) viewers.sent(event('x'.repeat(100_000)), String(n));
  vi.advanceTimersByTime(100);
  const { activities, dropped } = calls.told[0]!.word;
  expect(activities.length + dropped).toBe(200);
  expect(Math.max(...activities.map(({ data }) => data!.length))).toBe(10_240);
  const characters = activities.reduce((sum, { data }) => sum + data!.length, 0);
  expect(characters).toBeGreaterThan(500 * 1024);
  expect(characters).toBeLessThan(523 * 1024);
});
