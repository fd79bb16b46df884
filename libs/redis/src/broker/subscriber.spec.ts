import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { Subscriber } from './subscriber.js';

const topic = '{1}:topic';

/** A Redis whose connection breaks and returns as the test says. */
class BreakingRedis extends EventEmitter {
  status = 'connecting';
  /** Whether the present connection is subscribed. */
  isSubscribed = false;
  /** Commands without a connection, and ends of subscriptions that the connection did not have. */
  needless = 0;
  private connections = 0;

  async connect(): Promise<void> {}
  disconnect(): void {}
  async info(): Promise<string> {
    return 'run_id:one\r\nrole:master';
  }
  async ssubscribe(): Promise<number> {
    const { connections } = this;
    if (this.status !== 'ready') this.needless += 1;
    await turn();
    if (connections !== this.connections) throw new Error('Connection is closed.');
    this.isSubscribed = true;
    return 1;
  }
  async sunsubscribe(): Promise<number> {
    if (!this.isSubscribed) this.needless += 1;
    this.isSubscribed = false;
    return 0;
  }
  break(): void {
    this.connections += 1;
    this.isSubscribed = false;
    this.status = 'reconnecting';
    this.emit('close');
  }
  return(): void {
    this.status = 'ready';
    this.emit('ready');
  }
}

const turn = (): Promise<void> => new Promise(setImmediate);

const steps = ['wants it', 'leaves it', 'waits a turn', 'breaks', 'returns'] as const;
type Step = (typeof steps)[number];

function* sequences(length: number, isReady = true): Generator<readonly Step[]> {
  if (length === 0) yield [];
  else
    for (const step of steps.filter((each) => each !== (isReady ? 'returns' : 'breaks')))
      for (const rest of sequences(length - 1, isReady ? step !== 'breaks' : step === 'returns')) yield [step, ...rest];
}

/** Whether each sequence of steps ends well. */
async function outcomeOf(sequence: readonly Step[]) {
  const redis = new BreakingRedis();
  const lost: string[] = [];
  const events = { message() {}, lost: (names: readonly string[]) => lost.push(...names), moved() {}, connected() {} };
  const subscriber = new Subscriber(redis as unknown as Redis, events);
  redis.return();
  let [isWanted, isOwed] = [false, false];
  for (const step of sequence) {
    if (step === 'wants it') subscriber.want(topic);
    if (step === 'leaves it') subscriber.remove(topic);
    if (step === 'waits a turn') await turn();
    // Who still wants it has to learn that messages may be lost.
    if (step === 'breaks') isOwed ||= isWanted && redis.isSubscribed;
    if (step === 'breaks') redis.break();
    if (step === 'returns') redis.return();
    isWanted = step === 'wants it' || (isWanted && step !== 'leaves it');
    isOwed &&= isWanted;
  }
  if (redis.status !== 'ready') redis.return();
  for (let n = 0; n < 6; n++) await turn();
  subscriber.close();
  return { isRight: redis.isSubscribed === isWanted && redis.needless === 0 && (!isOwed || lost.length > 0) };
}

it('subscribes to what is wanted, whatever breaks meanwhile, and ends no subscription of a connection before', async () => {
  const all = [...sequences(6)];
  const wrong: string[] = [];
  await Promise.all(
    all.map(async (sequence) => (await outcomeOf(sequence)).isRight || wrong.push(sequence.join(', '))),
  );
  expect(wrong).toEqual([]);
  expect(all.length).toBeGreaterThan(1000);
});
