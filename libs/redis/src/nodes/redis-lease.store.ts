import { Injectable } from '@nestjs/common';
import { type LeaseRenewal, LeaseStore, type NodeDescription } from 'rookery/internal/channels';
import { isObject } from '#common';
import { integer, json, list, oneOf, text, UnreadableAnswer } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import * as scripts from './scripts.js';

/** The leases in Redis, all on one partition. */
@Injectable()
export class RedisLeaseStore extends LeaseStore {
  readonly name = 'Redis';

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  get scope(): string {
    return `under the keyPrefix ${this.redis.settings.keyPrefix}`;
  }

  get settings() {
    return this.redis.settings;
  }

  get breaks(): number {
    return this.redis.breaks;
  }

  async renew(nodeId: string, about: NodeDescription, knownEpoch: string): Promise<LeaseRenewal> {
    const leaseMs = Math.round(this.settings.leaseSeconds * 1000);
    const names = this.namesOf('leases', 'dying', 'about', 'epoch', 'replaced');
    const answer = await this.redis.run(scripts.renew, names, [nodeId, leaseMs, JSON.stringify(about), knownEpoch]);
    const [state, alive, epoch, ageMs, isNext] = list(answer);
    const renewal = {
      state: oneOf(['new', 'held', 'dying'], state),
      alive: integer(alive),
      epoch: text(epoch),
      ageMs: integer(ageMs),
      isNext: integer(isNext) === 1,
    };
    if (renewal.state !== 'dying') await this.redis.tookWrite();
    return renewal;
  }

  async claimDead(nodeId: string): Promise<string | undefined> {
    const found = await this.redis.run(scripts.claimDead, this.namesOf('leases', 'dying'), [nodeId]);
    return found === null ? undefined : text(found);
  }

  async bury(deadId: string): Promise<void> {
    await this.redis.run(scripts.bury, this.namesOf('leases', 'dying', 'about'), [deadId]);
  }

  async end(nodeId: string): Promise<void> {
    await this.redis.run(scripts.end, this.namesOf('leases'), [nodeId]);
  }

  async others(nodeId: string): Promise<readonly NodeDescription[]> {
    const all = await this.redis.ask((client) => client.hgetall(this.redis.keys.ofNodes('about')));
    const others = Object.entries(all).flatMap(([id, about]) => (id === nodeId ? [] : [about]));
    return this.redis.dropped.readable('description of a process', others, descriptionOf);
  }

  onReconnect(reconnected: () => Promise<void>): void {
    this.redis.onReconnect(reconnected);
  }

  onTakenForDead(takenForDead: () => void): void {
    this.redis.onTakenForDead(takenForDead);
  }

  ledgerIsBack(completeAt: number, breaks: number): void {
    this.redis.ledgerIsBack(completeAt, breaks);
  }

  close(): void {
    this.redis.close();
  }

  private namesOf(...kinds: readonly string[]): readonly string[] {
    return kinds.map((kind) => this.redis.keys.ofNodes(kind));
  }
}

function descriptionOf(description: unknown): NodeDescription {
  const about = json(description);
  if (!isObject(about)) throw new UnreadableAnswer('a description');
  return { where: text(about['where']), version: text(about['version']), apps: text(about['apps']) };
}
