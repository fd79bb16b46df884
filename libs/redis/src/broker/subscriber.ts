import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Unavailable } from '#common';
import { revive } from '../connection/clients.js';
import { identityOf } from '../connection/server-checks.js';

/** The events of a {@link Subscriber}. */
export interface SubscriberEvents {
  message(name: string, payload: string): void;
  /** These topics are subscribed again after an interruption. */
  lost(names: readonly string[]): void;
  /** A topic moved to another node. */
  moved(): void;
  /** The server that this connection goes to is known. */
  connected(): void;
}

interface PendingSubscription {
  readonly name: string;
  readonly settle: (error?: Error) => void;
}

const namesInCommand = 500;
const retryMs = 500;

/**
 * A connection dedicated to subscriptions. Topics requested in one turn of the event loop share one command per
 * partition, also after a reconnect.
 */
export class Subscriber {
  private readonly logger = new Logger('Redis');
  private readonly wanted = new Set<string>();
  /** The topics that Redis has confirmed on this connection. */
  private readonly confirmed = new Set<string>();
  /** The topics confirmed on the previous connection, but not yet on this one. */
  private readonly missed = new Set<string>();
  private readonly dueToAdd = new Set<string>();
  private readonly dueToRemove = new Set<string>();
  private readonly waiting = new Set<PendingSubscription>();
  private scheduled: NodeJS.Immediate | undefined;
  private underWay = 0;
  /** Whether the connection was told to close, which takes a while on a dead one. */
  private isEnding = false;
  private isClosed = false;
  /** The `run_id` of the Redis at the other end; undefined while unknown. */
  serverId: string | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly events: SubscriberEvents,
  ) {
    redis.on('smessage', (name: string, payload: string) => this.hear(name, payload));
    redis.on('ready', () => void this.began());
    redis.on('close', () => this.ended());
    // ioredis never settles the command that gets this answer.
    redis.on('moved', () => events.moved());
    // A failed subscription shows by its missing confirmation. A node whose slot has moved ends subscriptions unasked;
    // ioredis reports only an error about an answer without a command.
    redis.on('error', ({ message }: Error) => message.startsWith('Command queue state error') && events.moved());
    revive(redis, () => this.isClosed);
    redis.connect().catch(() => undefined);
  }

  get isReady(): boolean {
    return this.redis.status === 'ready';
  }

  /**
   * Settles when Redis has confirmed the subscription.
   * @throws Unavailable if that did not happen before `until`, by performance.now()
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

  /** @param isMoved whether it was subscribed elsewhere until now: messages before the confirmation here are lost */
  want(name: string, isMoved = false): void {
    // Redis has not been asked to end it yet.
    if (this.dueToRemove.delete(name) && !isMoved) this.confirmed.add(name);
    this.wanted.add(name);
    if (this.confirmed.has(name)) return;
    if (isMoved) this.missed.add(name);
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

  /** Asks Redis for the number of subscriptions on this connection; a wrong answer, or none, closes the connection. */
  async audit(): Promise<void> {
    if (!this.isReady || this.isEnding || this.scheduled || this.underWay > 0) return;
    const [name] = this.confirmed;
    const expected = this.confirmed.size;
    try {
      // It is already subscribed: nothing changes, and the answer contains the number.
      const actual = name === undefined ? expected : await this.redis.ssubscribe(name);
      if (name === undefined) await this.redis.ping();
      if (actual === expected || this.confirmed.size !== expected || this.underWay > 0) return;
      this.logger.warn(`Redis has ${String(actual)} subscriptions of this process, which expects ${expected}`);
    } catch (error) {
      this.logger.warn(`A connection for subscriptions does not answer: ${String(error)}`);
    }
    this.reconnect();
  }

  /** Closes the connection, so that a new one is made. */
  reconnect(): void {
    if (this.isEnding) return;
    this.isEnding = this.isReady;
    this.redis.disconnect(true);
  }

  close(): void {
    this.isClosed = true;
    clearImmediate(this.scheduled);
    this.redis.disconnect();
    for (const { settle } of this.waiting) settle(new Unavailable('Redis'));
  }

  private async began(): Promise<void> {
    // The connection has broken, or the next audit finds out.
    const server = await identityOf(this.redis).catch(() => undefined);
    // Sentinels may name a replica. It accepts subscriptions like a master, but what it does not receive from its
    // master is lost unnoticed.
    if (server?.isReplica) return this.reconnect();
    this.serverId = server?.runId;
    if (server) this.events.connected();
    for (const name of this.wanted) this.dueToAdd.add(name);
    this.schedule();
  }

  private ended(): void {
    this.isEnding = false;
    this.serverId = undefined;
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
      // If there is no connection, the next one begins with all topics.
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
      // The topic may no longer be wanted.
      if (this.wanted.has(name)) this.confirmed.add(name);
      else this.dueToRemove.add(name);
      if (this.missed.delete(name)) lost.push(name);
    }
    if (this.dueToRemove.size > 0) this.schedule();
    for (const each of this.waiting) if (this.confirmed.has(each.name)) each.settle();
    if (lost.length > 0) this.events.lost(lost);
  }

  // Losses are reported before any later message: one read may contain both the message and the answer to the command
  // that subscribed it, which is processed a moment later.
  private hear(name: string, payload: string): void {
    if (this.missed.has(name)) this.confirm([name]);
    this.events.message(name, payload);
  }
}

/** Topics in one command must share a partition, the part between braces. */
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
