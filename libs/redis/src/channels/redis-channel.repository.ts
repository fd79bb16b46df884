import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings, type Occupancy } from 'rookery/channels';
import { AnswerStamps } from '../connection/answer-stamps.js';
import { digits, integer, list, text } from '../connection/answers.js';
import { RecentConfirmations } from '../connection/recent-confirmations.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { allPartitions, anyWith, byPartition, nameOf, partitionOf, partsOf, word } from '../keys.js';
import * as scripts from './scripts.js';

const pageNames = 1000;
const partitionsAtOnce = 16;

/** The processes' shared state of channels and connections, in Redis. Idempotent calls wait for Redis. */
@Injectable()
export class RedisChannelRepository extends ChannelRepository {
  static readonly port = ChannelRepository;

  private readonly confirmed = new RecentConfirmations();
  private readonly stamps = new AnswerStamps();

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async occupy(appId: string, channel: string, nodeId: string, connections: number): Promise<Occupancy> {
    const name = nameOf(appId, channel);
    const answer = await this.redis.insist(scripts.occupy, this.keysOf(name), [nodeId, name, connections]);
    return occupancyOf(list(answer), connections);
  }

  async holdsVacancy(appId: string, channel: string, version: number, nodeId: string): Promise<boolean> {
    const name = nameOf(appId, channel);
    return (await this.redis.insist(scripts.holdsVacancy, this.keysOf(name), [name, version, nodeId])) === 1;
  }

  async confirmVacated(appId: string, channel: string, version: number): Promise<boolean> {
    const name = nameOf(appId, channel);
    const args = [name, version, randomUUID()];
    const isConfirmed = (await this.redis.insist(scripts.confirmVacated, this.keysOf(name), args)) === 1;
    if (isConfirmed) this.confirmed.note(partitionOf(name), name, version);
    return isConfirmed;
  }

  async subscriptionCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    const counts = new Map<string, number>();
    const groups = byPartition(channels, (channel) => partitionOf(nameOf(appId, channel)));
    await Promise.all(
      Array.from(groups, async ([partition, names]) => {
        const found = await this.redis.ask((client) => client.hmget(this.channelsKey(partition, appId), ...names));
        for (const [i, count] of found.entries()) counts.set(names[i]!, digits(count ?? '0'));
      }),
    );
    return channels.map((channel) => counts.get(channel) ?? 0);
  }

  async *occupied(appId: string, prefix: string): AsyncIterable<readonly string[]> {
    for (let at = 0; at < allPartitions.length; at += partitionsAtOnce) {
      const some = allPartitions.slice(at, at + partitionsAtOnce);
      const names = await Promise.all(some.map((partition) => this.namesIn(partition, appId, prefix)));
      const all = names.flat();
      for (let i = 0; i < all.length; i += pageNames) yield all.slice(i, i + pageNames);
    }
  }

  async admit(appId: string, nodeId: string, connectionId: string, limit: number): Promise<boolean> {
    const most = limit === Infinity ? -1 : limit;
    const args = [nodeId, word(appId), connectionId, most];
    return (await this.redis.insist(scripts.admit, this.keysOf(appId), args)) === 1;
  }

  async dismiss(appId: string, nodeId: string, connectionId: string): Promise<void> {
    await this.redis.insist(scripts.dismiss, this.keysOf(appId), [nodeId, word(appId), connectionId]);
  }

  announce(nodeId: string, holdings: NodeHoldings): Promise<readonly ChannelOccupancy[]> {
    return this.say(nodeId, holdings, '');
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly ChannelOccupancy[]> {
    return this.say(nodeId, { channels: [], admitted: [] }, heirId);
  }

  private async say(nodeId: string, { channels, admitted }: NodeHoldings, heirId: string) {
    const held = channels.map(({ appId, channel, connections }) => ({ name: nameOf(appId, channel), connections }));
    const channelsOf = byPartition(held, ({ name }) => partitionOf(name));
    const admittedOf = byPartition(admitted, ({ appId }) => partitionOf(appId));
    const confirmations = heirId === '' ? this.confirmed.inPartitions() : undefined;
    const answers = await Promise.all(
      allPartitions.map((partition) => {
        const some = channelsOf.get(partition) ?? [];
        const confirmed = confirmations?.get(partition) ?? [];
        return this.redis.insist(
          scripts.announce,
          anyWith(this.redis.keys.in(partition)),
          [
            nodeId,
            heirId,
            this.stamps.get(partition),
            some.length,
            confirmed.length / 2,
            ...some.flatMap(({ name, connections }) => [name, connections]),
            ...confirmed,
            ...(admittedOf.get(partition) ?? []).flatMap(({ appId, connectionId }) => [word(appId), connectionId]),
          ],
          { evenIncomplete: true },
        );
      }),
    );
    return this.redis.dropped.readable('change of a channel', this.stamps.changesOf(answers), (change) => {
      const [name, ...answer] = list(change);
      const { scope: appId, name: channel } = partsOf(text(name));
      return { appId, channel, ...occupancyOf(answer, integer(answer[0])) };
    });
  }

  private async namesIn(partition: number, appId: string, prefix: string): Promise<string[]> {
    const key = this.channelsKey(partition, appId);
    const pattern = `${prefix.replace(/[*?[\]\\^-]/g, '\\$&')}*`;
    const names: string[] = [];
    for (let cursor = '0'; ;) {
      const scan = () => this.redis.ask((client) => client.hscan(key, cursor, 'MATCH', pattern, 'COUNT', pageNames));
      const [next, pairs] = await scan();
      // Alternating names and counts.
      for (let i = 0; i < pairs.length; i += 2) names.push(pairs[i]!);
      if (next === '0') return names;
      cursor = next;
    }
  }

  private channelsKey(partition: number, appId: string): string {
    return `${this.redis.keys.in(partition)}channels:${word(appId)}`;
  }

  private keysOf(name: string): readonly string[] {
    return anyWith(this.redis.keys.in(partitionOf(name)));
  }
}

/**
 * Of a count and its version, the version of the change if there was one, and whether it was a return.
 * @param connections decides which change it was: since then, `count` may have changed again
 */
function occupancyOf([count, version, changedAt, isReturn]: readonly unknown[], connections: number): Occupancy {
  const latest = { count: integer(count), version: digits(version) };
  if (changedAt === '') return latest;
  const change = { to: connections > 0 ? ('occupied' as const) : ('vacated' as const), version: digits(changedAt) };
  return { ...latest, change: isReturn === 1 ? { ...change, isReturn: true } : change };
}
