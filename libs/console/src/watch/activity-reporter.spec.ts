import { type NodeRpc, ActivityTap, type Observed } from 'rookery/channels';
import { ThisNode } from 'rookery/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Trace } from './trace.js';
import { type ActivityMessage, ActivityReporter } from './activity-reporter.js';

type Listener = (word: { readonly apps: readonly string[] }, from: string) => void;

/** Calls between processes, one of which has a viewer. */
class Calls {
  readonly told: { readonly node: string; readonly word: ActivityMessage }[] = [];
  look: Listener = () => {};

  on(_subject: string, listener: Listener): void {
    this.look = listener;
  }

  open(): void {}

  tell(node: string, _subject: string, word: ActivityMessage): void {
    this.told.push({ node, word });
  }
}

let calls: Calls;
let tap: ActivityTap;
let viewers: ActivityReporter;
const event = (data: string, n = 0): Observed => ({
  appId: 'shop',
  kind: 'event',
  channel: 'a',
  name: 'e',
  data,
  position: String(n),
});

beforeEach(() => {
  vi.useFakeTimers();
  calls = new Calls();
  tap = new ActivityTap();
  // The viewers use only these methods.
  viewers = new ActivityReporter(calls as unknown as NodeRpc, tap, new Trace(), new ThisNode());
  viewers.onApplicationBootstrap();
});
afterEach(() => {
  viewers.onApplicationShutdown();
  vi.useRealTimers();
});

it('observe nothing without a viewer, and stop soon after the last one', () => {
  expect(tap.observer).toBeUndefined();
  calls.look({ apps: ['shop'] }, 'far');
  expect(tap.observer).toBe(viewers);
  vi.advanceTimersByTime(7000);
  expect(tap.observer).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('send each viewer of the app a limited batch, and the number left out', () => {
  calls.look({ apps: ['shop'] }, 'far');
  calls.look({ apps: ['other'] }, 'elsewhere');
  for (let n = 0; n < 1200; n++) viewers.happened(event('small', n));
  vi.advanceTimersByTime(100);
  expect(calls.told.map(({ node, word }) => [node, word.activities.length, word.dropped])).toEqual([['far', 500, 700]]);
  viewers.happened(event('next'));
  vi.advanceTimersByTime(100);
  expect(calls.told.at(-1)!.word).toMatchObject({ activities: [{ data: 'next' }], dropped: 0 });
});

it('send at most half a megabyte of payloads at once, and ten kilobytes of each', () => {
  calls.look({ apps: ['shop'] }, 'far');
  for (let n = 0; n < 200; n++) viewers.happened(event('x'.repeat(100_000), n));
  vi.advanceTimersByTime(100);
  const { activities, dropped } = calls.told[0]!.word;
  expect(activities.length + dropped).toBe(200);
  expect(Math.max(...activities.map(({ data }) => data!.length))).toBe(10_240);
  const characters = activities.reduce((sum, { data }) => sum + data!.length, 0);
  expect(characters).toBeGreaterThan(500 * 1024);
  expect(characters).toBeLessThan(523 * 1024);
});
