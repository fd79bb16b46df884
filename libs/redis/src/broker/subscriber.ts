import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Unavailable } from 'rookery/common';
import { fieldsOf } from '../connection/server-checks.js';

/** What a {@link Subscriber} tells. */
export interface SubscriberEvents {
  message(name: string, payload: string): void;
  /** These are subscribed again after they were not for a while. */
  lost(names: readonly string[]): void;
  /** Another node has what this one was asked for. */
  moved(): void;
}

interface Waiting {
  readonly name: string;
  readonly settle: (error?: Error) => void;
}

const namesInCommand = 500;
const retryMs = 500;

/**
 * A connection that is there for subscriptions. It has some in common with others: what is asked for in one turn of the
 * loop is one command for each partition, and so it is after a reconnect.
 */
export class Subscriber {
  private readonly logger = new Logger('Redis');
  private readonly wanted = new Set<string>();
  /** Those that Redis has confirmed on this connection. */
  private readonly confirmed = new Set<string>();
  /** Those that were confirmed on the connection before, and are not on this one yet. */
  private readonly missed = new Set<string>();
  private readonly dueToAdd = new Set<string>();
  private readonly dueToRemove = new Set<string>();
  private readonly waiting = new Set<Waiting>();
  private scheduled: NodeJS.Immediate | undefined;
  private underWay = 0;
  /** Whether the connection was told to end: one that nothing comes over takes a while. */
  private isEnding = false;

  constructor(
    private readonly redis: Redis,
    private readonly events: SubscriberEvents,
  ) {
    redis.on('smessage', (name: string, payload: string) => this.hear(name, payload));
    redis.on('ready', () => void this.began());
    redis.on('close', () => this.ended());
    // ioredis leaves the command that it answers so without an answer.
    redis.on('moved', () => events.moved());
    // What failed is seen by what is not confirmed.
    redis.on('error', () => undefined);
    redis.connect().catch(() => undefined);
  }

  get isReady(): boolean {
    return this.redis.status === 'ready';
  }

  /**
   * Settles when Redis has confirmed the subscription.
   * @throws Unavailable when that was not before `until`, by performance.now()
   */
  add(name: string, until: number): Promise<void> {
    this.want(name);
    if (this.confirmed.has(name)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        if (error) reject(error);
        else resolve();
      };
      const waiting = { name, settle };
      const timer = setTimeout(() => settle(new Unavailable('Redis')), Math.max(0, until - performance.now())).unref();
      this.waiting.add(waiting);
    });
  }

  want(name: string): void {
    this.dueToRemove.delete(name);
    this.wanted.add(name);
    if (this.confirmed.has(name)) return;
    this.dueToAdd.add(name);
    this.schedule();
  }

  remove(name: string): void {
    if (!this.wanted.delete(name)) return;
    this.dueToAdd.delete(name);
    this.missed.delete(name);
    if (!this.confirmed.delete(name)) return;
    this.dueToRemove.add(name);
    this.schedule();
  }

  /** Asks Redis how many subscriptions this connection has: an answer that is wrong, or none, ends the connection. */
  async audit(): Promise<void> {
    if (!this.isReady || this.isEnding || this.scheduled || this.underWay > 0) return;
    const [name] = this.confirmed;
    const expected = this.confirmed.size;
    try {
      // Subscribed already: nothing changes, and the answer has the number.
      const actual = name === undefined ? expected : await this.redis.ssubscribe(name);
      if (name === undefined) await this.redis.ping();
      if (actual === expected || this.confirmed.size !== expected || this.underWay > 0) return;
      this.logger.warn(`Redis has ${String(actual)} subscriptions of this process, which wants ${expected}`);
    } catch (error) {
      this.logger.warn(`A connection for subscriptions does not answer: ${String(error)}`);
    }
    this.reconnect();
  }

  /** Ends the connection, so that another is made. */
  reconnect(): void {
    if (this.isEnding) return;
    this.isEnding = this.isReady;
    this.redis.disconnect(true);
  }

  close(): void {
    clearImmediate(this.scheduled);
    this.redis.disconnect();
    for (const { settle } of this.waiting) settle(new Unavailable('Redis'));
  }

  private async began(): Promise<void> {
    if (await this.isAtReplica()) return this.reconnect();
    for (const name of this.wanted) this.dueToAdd.add(name);
    this.schedule();
  }

  /** Sentinels may name one: it takes subscriptions like a master, and what it has not heard of its master is lost unseen. */
  private async isAtReplica(): Promise<boolean> {
    try {
      return fieldsOf(await this.redis.info('replication')).get('role') === 'slave';
    } catch {
      // The connection has broken, or the next audit finds out.
      return false;
    }
  }

  private ended(): void {
    this.isEnding = false;
    for (const name of this.confirmed) this.missed.add(name);
    this.confirmed.clear();
    this.dueToRemove.clear();
  }

  private schedule(): void {
    this.scheduled ??= setImmediate(() => {
      this.scheduled = undefined;
      this.flush();
    });
  }

  private flush(): void {
    if (!this.isReady) return;
    for (const names of commandsOf(this.dueToRemove)) this.redis.sunsubscribe(...names).catch(() => undefined);
    for (const names of commandsOf(this.dueToAdd)) void this.subscribe(names);
    this.dueToRemove.clear();
    this.dueToAdd.clear();
  }

  private async subscribe(names: readonly string[]): Promise<void> {
    this.underWay++;
    try {
      await this.redis.ssubscribe(...names);
      this.confirm(names);
    } catch {
      // Without a connection, the next one begins with all of them.
      setTimeout(() => this.again(names), retryMs).unref();
    } finally {
      this.underWay--;
    }
  }

  private again(names: readonly string[]): void {
    for (const name of names) if (this.wanted.has(name)) this.want(name);
  }

  private confirm(names: readonly string[]): void {
    const lost: string[] = [];
    for (const name of names) {
      // Nobody may want it any more.
      if (this.wanted.has(name)) this.confirmed.add(name);
      else this.dueToRemove.add(name);
      if (this.missed.delete(name)) lost.push(name);
    }
    if (this.dueToRemove.size > 0) this.schedule();
    for (const each of this.waiting) if (this.confirmed.has(each.name)) each.settle();
    if (lost.length > 0) this.events.lost(lost);
  }

  // What was lost is told before anything that came after it: a message may be read together with the answer to the
  // command that it owes itself to, which is known only a moment later.
  private hear(name: string, payload: string): void {
    if (this.missed.has(name)) this.confirm([name]);
    this.events.message(name, payload);
  }
}

/** A command names topics of one partition: it is what stands between braces. */
function* commandsOf(names: ReadonlySet<string>): Iterable<readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const partition = name.slice(0, name.indexOf('}'));
    const group = groups.get(partition);
    if (group) group.push(name);
    else groups.set(partition, [name]);
  }
  for (const group of groups.values())
    for (let at = 0; at < group.length; at += namesInCommand) yield group.slice(at, at + namesInCommand);
}
