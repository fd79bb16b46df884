import { type NodeCalls, Observation, type Observed } from 'rookery/channels';
import { ThisNode } from 'rookery/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Trace } from './trace.js';
import { type HappenedWord, Watchers } from './watchers.js';

type Listener = (word: { readonly apps: readonly string[] }, from: string) => void;

/** Calls between processes, one of which has a viewer. */
class Calls {
  readonly told: { readonly node: string; readonly word: HappenedWord }[] = [];
  look: Listener = () => {};

  on(_subject: string, listener: Listener): void {
    this.look = listener;
  }

  open(): void {}

  tell(node: string, _subject: string, word: HappenedWord): void {
    this.told.push({ node, word });
  }
}

let calls: Calls;
let observation: Observation;
let watchers: Watchers;
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
  observation = new Observation();
  // The watchers use only these methods.
  watchers = new Watchers(calls as unknown as NodeCalls, observation, new Trace(), new ThisNode());
  watchers.onApplicationBootstrap();
});
afterEach(() => {
  watchers.onApplicationShutdown();
  vi.useRealTimers();
});

it('observe nothing before somebody looks, and nothing soon after', () => {
  expect(observation.observer).toBeUndefined();
  calls.look({ apps: ['shop'] }, 'far');
  expect(observation.observer).toBe(watchers);
  vi.advanceTimersByTime(7000);
  expect(observation.observer).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('tell each who looks at the app of so much each time, and how much more there was', () => {
  calls.look({ apps: ['shop'] }, 'far');
  calls.look({ apps: ['other'] }, 'elsewhere');
  for (let n = 0; n < 1200; n++) watchers.happened(event('small', n));
  vi.advanceTimersByTime(100);
  expect(calls.told.map(({ node, word }) => [node, word.happenings.length, word.dropped])).toEqual([['far', 500, 700]]);
  watchers.happened(event('next'));
  vi.advanceTimersByTime(100);
  expect(calls.told.at(-1)!.word).toMatchObject({ happenings: [{ data: 'next' }], dropped: 0 });
});

it('tell no more than half a megabyte of payloads at once, and ten kilobytes of each', () => {
  calls.look({ apps: ['shop'] }, 'far');
  for (let n = 0; n < 200; n++) watchers.happened(event('x'.repeat(100_000), n));
  vi.advanceTimersByTime(100);
  const { happenings, dropped } = calls.told[0]!.word;
  expect(happenings.length + dropped).toBe(200);
  expect(Math.max(...happenings.map(({ data }) => data!.length))).toBe(10_240);
  const characters = happenings.reduce((sum, { data }) => sum + data!.length, 0);
  expect(characters).toBeGreaterThan(500 * 1024);
  expect(characters).toBeLessThan(523 * 1024);
});
