import { type NodeRpc, ActivityTap, type ObservedEvent } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Activity } from '../contract/index.js';
import { ConsoleSettings } from '../console.options.js';
import { ActivityRecorder } from './activity-recorder.js';
import { ChannelRates } from './channel-rates.js';
import { Processes } from '../processes/processes.js';
import type { ProcessView } from '../processes/process-view.js';
import { EndpointHealths } from './endpoint-health.js';
import { OwnActivities } from './own-activities.js';
import { nowhere, PastActivities } from '../live/past-activities.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';

/** Calls between processes, of which there is one. */
class Calls {
  private readonly handlers = new Map<object, (content: unknown) => unknown>();
  constructor(private readonly node: ThisNode) {}
  open(): void {}
  on(subject: object, handler: (content: unknown) => unknown): void {
    this.handlers.set(subject, handler);
  }
  async askAll(subject: object, content: unknown) {
    return { answers: [{ node: this.node.id, answer: this.handlers.get(subject)!(content) }], missing: 0 };
  }
}

const newRecorder = (traceBytes: number) => {
  const [node, tap] = [new ThisNode(), new ActivityTap()];
  const settings = { ...new ConsoleSettings(), traceBytes };
  const trace = new Trace(settings);
  // They use only these methods.
  const calls = new Calls(node) as unknown as NodeRpc;
  const recorder = new ActivityRecorder(calls, tap, trace, new EndpointHealths(), new ChannelRates());
  const own = new OwnActivities(new TraceAnswers(trace, node), settings, node);
  const answers: Partial<ProcessView['answers']> = { recent: (query) => own.recent(query) };
  const processes = new Processes(calls, { answers } as ProcessView);
  for (const each of [trace, recorder, processes]) each.onApplicationBootstrap();
  return { tap, trace, recorder, past: new PastActivities(processes) };
};
const event = (data: string, appId = 'shop'): ObservedEvent => ({
  appId,
  channel: 'a',
  text: JSON.stringify({ event: 'e', channel: 'a', data }),
});
const dataOf = (activities: readonly Activity[]) => activities.map(({ data }) => data);

let world: ReturnType<typeof newRecorder>;
beforeEach(() => {
  vi.useFakeTimers();
  world = newRecorder(64 * 1024 * 1024);
});
afterEach(() => {
  world.recorder.onApplicationShutdown();
  world.trace.onApplicationShutdown();
  vi.useRealTimers();
});

it('records always, whether or not there is a viewer, unless nothing is to be kept', () => {
  expect(world.tap.observer).toBe(world.recorder);
  expect(newRecorder(0).tap.observer).toBeUndefined();
  world.recorder.onApplicationShutdown();
  expect(world.tap.observer).toBeUndefined();
});

it('tells a new viewer what happened before, and then only what is new', async () => {
  const { recorder, past } = world;
  recorder.sent(event('before'), '1');
  recorder.sent(event('elsewhere', 'other'), '2');
  const first = await past.since('shop', {}, nowhere);
  expect(dataOf(first.activities)).toEqual(['before']);
  recorder.sent(event('later'), '3');
  const second = await past.since('shop', {}, first.cursors);
  expect(dataOf(second.activities)).toEqual(['later']);
  expect((await past.since('shop', {}, second.cursors)).activities).toEqual([]);
  // A process that has begun since, and so is not named, tells its past.
  expect(dataOf((await past.since('shop', {}, { another: { order: 9, skipped: 0 } })).activities)).toHaveLength(2);
});

it('records an event once its position is known, and none that could not be published', async () => {
  const { recorder, past } = world;
  recorder.sent(event('placed'), Promise.resolve('7'));
  recorder.sent(event('lost'), Promise.reject(new Error('the broker is down')));
  await vi.advanceTimersByTimeAsync(1);
  expect(await past.recent('shop', {})).toMatchObject([{ id: '7@a', data: 'placed' }]);
});

it('tells a viewer at most 2000 activities at once, and how many of the app were too many', async () => {
  const { recorder, past } = world;
  const { cursors } = await past.since('shop', {}, nowhere);
  for (let second = 0; second < 2; second++) {
    for (let n = 0; n < 1500; n++) recorder.sent(event('small'), String(n));
    await vi.advanceTimersByTimeAsync(1000);
  }
  const many = await past.since('shop', {}, cursors);
  expect([many.activities.length, many.dropped]).toEqual([2000, 1000]);
  for (let n = 0; n < 2200; n++) recorder.sent(event('too many in a second'), n % 2 ? '1' : Promise.resolve('1'));
  await vi.advanceTimersByTimeAsync(1);
  for (let n = 0; n < 9; n++) recorder.sent(event('of another app', 'other'), '1');
  const { activities, dropped } = await past.since('shop', {}, many.cursors);
  expect(activities.length + dropped).toBe(2200);
  expect(dropped).toBeGreaterThanOrEqual(200);
});

it('tells at most half a megabyte of payloads at once, and ten kilobytes of each', async () => {
  const { recorder, past } = world;
  const { cursors } = await past.since('shop', {}, nowhere);
  for (let n = 0; n < 200; n++) recorder.sent(event('x'.repeat(100_000)), String(n));
  const { activities, dropped } = await past.since('shop', {}, cursors);
  expect(activities.length + dropped).toBe(200);
  expect(Math.max(...activities.map(({ data }) => data!.length))).toBe(10_240);
  const characters = activities.reduce((sum, { data }) => sum + data!.length, 0);
  expect(characters).toBeGreaterThan(500 * 1024);
  expect(characters).toBeLessThan(523 * 1024);
});
