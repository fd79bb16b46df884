import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RedisConnection } from '../connection/redis.connection.js';
import { type RedisTopic, Subscriptions } from './subscriptions.js';

const lingerMs = 5000;

/** A connection that subscribes to what it is told, at once. */
class ListeningRedis extends EventEmitter {
  readonly status = 'ready';
  readonly listensTo = new Set<string>();

  async connect(): Promise<void> {}
  disconnect(): void {}
  async info(): Promise<string> {
    return 'run_id:one\r\nrole:master';
  }
  async ping(): Promise<void> {}
  async ssubscribe(...names: readonly string[]): Promise<number> {
    for (const name of names) this.listensTo.add(name);
    return this.listensTo.size;
  }
  async sunsubscribe(...names: readonly string[]): Promise<void> {
    for (const name of names) this.listensTo.delete(name);
  }
}

let redis: ListeningRedis;
let subscriptions: Subscriptions;
beforeEach(() => {
  vi.useFakeTimers();
  redis = new ListeningRedis();
  const connection = {
    settings: { heartbeatSeconds: 5, lingerSeconds: lingerMs / 1000, outageSeconds: 30 },
    onConnect() {},
    nodesOfPartitions: async () => undefined,
    subscriber: () => redis,
  };
  subscriptions = new Subscriptions(connection as unknown as RedisConnection, { message() {}, lost() {} });
});
afterEach(() => {
  subscriptions.close();
  vi.useRealTimers();
});

const topicOf = (channel: string): RedisTopic => ({
  topic: { appId: '1', channel },
  name: `{1}:${channel}`,
  partition: 1,
});
const news = topicOf('news');

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Wants topics, until Redis has confirmed them. */
const want = async (...topics: readonly RedisTopic[]): Promise<void> => {
  const wanted = Promise.all(topics.map((topic) => subscriptions.add(topic)));
  await later(10);
  await wanted;
};

it('drops a topic that nobody wants for a while, and no other', async () => {
  await want(news, topicOf('sports'));
  subscriptions.drop(news.name);
  await later(lingerMs - 1000);
  expect([...redis.listensTo]).toEqual(['{1}:news', '{1}:sports']);
  await later(3000);
  expect([...redis.listensTo]).toEqual(['{1}:sports']);
});

it('keeps a topic that is wanted again within its linger, until that is over once more', async () => {
  await want(news);
  for (let times = 0; times < 3; times++) {
    subscriptions.drop(news.name);
    await later(lingerMs - 1000);
    await want(news);
  }
  await later(4 * lingerMs);
  expect([...redis.listensTo]).toEqual([news.name]);
  subscriptions.drop(news.name);
  await later(lingerMs - 1000);
  expect([...redis.listensTo]).toEqual([news.name]);
  await later(3000);
  expect([...redis.listensTo]).toEqual([]);
});

it('counts the linger from the first drop', async () => {
  await want(news);
  subscriptions.drop(news.name);
  await later(lingerMs - 1000);
  subscriptions.drop(news.name);
  await later(3000);
  expect([...redis.listensTo]).toEqual([]);
});

it('subscribes again to what was dropped', async () => {
  await want(news);
  subscriptions.drop(news.name);
  await later(2 * lingerMs);
  await want(news);
  expect([...redis.listensTo]).toEqual([news.name]);
});
