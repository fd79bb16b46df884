import { Injectable, Logger } from '@nestjs/common';
import {
  type BroadcastChannel,
  type BroadcastChannelName,
  type ChannelReservation,
  LiveActivityRepository,
} from './live-activity.repository.js';

/** In memory: for tests and trials, in one process. Channels that it forgets on restart stay at Apple. */
@Injectable()
export class MemoryLiveActivityRepository extends LiveActivityRepository {
  private readonly kept = new Map<string, BroadcastChannel>();
  private readonly reservations = new Map<string, ChannelReservation>();
  private readonly tokens = new Map<string, string>();
  private readonly logger = new Logger('LiveActivities');
  private hasWarned = false;

  channels(instanceId: string, environment: string, interests: readonly string[]): readonly BroadcastChannel[] {
    return [...this.kept.values()].filter(
      (channel) =>
        channel.instanceId === instanceId &&
        channel.environment === environment &&
        interests.includes(channel.interest),
    );
  }

  reserve(name: BroadcastChannelName, reservation: ChannelReservation): BroadcastChannel | 'reserved' | 'busy' {
    const key = keyOf(name);
    const channel = this.kept.get(key);
    if (channel) return channel;
    const held = this.reservations.get(key);
    if (held && held.until > reservation.now) return 'busy';
    this.reservations.set(key, reservation);
    return 'reserved';
  }

  keep(channel: BroadcastChannel, by: string): boolean {
    const key = keyOf(channel);
    if (this.reservations.get(key)?.by !== by) return false;
    this.reservations.delete(key);
    this.kept.set(key, channel);
    this.warn();
    return true;
  }

  release(name: BroadcastChannelName, by: string): void {
    if (this.reservations.get(keyOf(name))?.by === by) this.reservations.delete(keyOf(name));
  }

  removeChannel(name: BroadcastChannelName, channelId: string): boolean {
    return this.kept.get(keyOf(name))?.channelId === channelId && this.kept.delete(keyOf(name));
  }

  setStartToken(instanceId: string, deviceId: string, token: string): void {
    this.tokens.set(`${instanceId} ${deviceId}`, token);
    this.warn();
  }

  startTokens(instanceId: string, deviceIds: readonly string[]): ReadonlyMap<string, string> {
    const known = deviceIds.map((id) => [id, this.tokens.get(`${instanceId} ${id}`)] as const);
    return new Map(known.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  removeStartTokens(instanceId: string, deviceIds: readonly string[], token?: string): void {
    for (const id of deviceIds) {
      const key = `${instanceId} ${id}`;
      if (token === undefined || this.tokens.get(key) === token) this.tokens.delete(key);
    }
  }

  /** At the first use, because most applications have no Live Activities. */
  private warn(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      'Channels and start tokens of Live Activities are kept in memory: they are lost on restart. Name a store, such ' +
        'as liveActivityRepository: TypeOrmLiveActivityRepository',
    );
  }
}

const keyOf = ({ instanceId, environment, interest, bundleIdentifier }: BroadcastChannelName): string =>
  JSON.stringify([instanceId, environment, interest, bundleIdentifier]);
