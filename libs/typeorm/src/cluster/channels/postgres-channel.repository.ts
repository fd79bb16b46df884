import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings, type Occupancy } from 'rookery/channels';
import { LaneAnnouncements } from '../shared/lane-announcements.js';
import { nameIn, stored } from '../shared/names.js';
import { laneOf, SharedDatabase } from '../shared/shared-database.js';

const pageNames = 1000;

interface OccupancyRow {
  readonly count: number;
  readonly version: number | string;
  readonly changed_at: number | string | null;
  readonly is_return: boolean | null;
}

interface ChangeRow extends OccupancyRow {
  readonly app_id: string;
  readonly channel: string;
  readonly connections: number;
}

/** The processes' shared state of channels and connections, in PostgreSQL. Idempotent calls wait for it. */
@Injectable()
export class PostgresChannelRepository extends ChannelRepository {
  private readonly announcements: LaneAnnouncements<ChangeRow>;

  constructor(private readonly shared: SharedDatabase) {
    super();
    const statement = 'SELECT stamp, changes FROM rookery_announce_channels(?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.announcements = new LaneAnnouncements(shared, statement, 0);
  }

  async occupy(appId: string, channel: string, nodeId: string, connections: number): Promise<Occupancy> {
    const [row] = await this.shared.insist<OccupancyRow>(
      'SELECT is_gone, version, count, changed_at, is_return FROM rookery_occupy(?, ?, ?, ?, ?)',
      [laneOf(appId, channel), stored(appId), stored(channel), nodeId, connections],
    );
    return occupancyOf(row!, connections);
  }

  async holdsVacancy(appId: string, channel: string, version: number, nodeId: string): Promise<boolean> {
    return this.ask('rookery_holds', appId, channel, version, nodeId);
  }

  async confirmVacated(appId: string, channel: string, version: number): Promise<boolean> {
    return this.ask('rookery_confirm', appId, channel, version, randomUUID());
  }

  async subscriptionCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    if (channels.length === 0) return [];
    const rows = await this.shared.read<{ readonly channel: string; readonly count: number }>(
      'SELECT channel, count FROM rookery_channel_counts WHERE app_id = ? AND channel = ANY(?)',
      [stored(appId), channels.map(stored)],
    );
    const counts = new Map(rows.map(({ channel, count }) => [channel, count]));
    return channels.map((channel) => counts.get(stored(channel)) ?? 0);
  }

  async *occupied(appId: string, prefix: string): AsyncIterable<readonly string[]> {
    for (let after = ''; ;) {
      const rows = await this.shared.read<{ readonly channel: string }>(
        `SELECT channel FROM rookery_channel_counts WHERE app_id = ? AND channel ^@ ? AND channel > ?
         ORDER BY channel LIMIT ${pageNames}`,
        [stored(appId), stored(prefix), after],
      );
      if (rows.length > 0) yield rows.map(({ channel }) => nameIn(channel));
      if (rows.length < pageNames) return;
      after = rows.at(-1)!.channel;
    }
  }

  async admit(appId: string, nodeId: string, connectionId: string, limit: number): Promise<boolean> {
    const [row] = await this.shared.insist<{ readonly is_in: boolean }>(
      'SELECT is_gone, is_in FROM rookery_admit(?, ?, ?, ?, ?)',
      [laneOf(appId, ''), stored(appId), nodeId, connectionId, limit === Infinity ? null : limit],
    );
    return row!.is_in;
  }

  async dismiss(appId: string, _: string, connectionId: string): Promise<void> {
    await this.shared.insist('SELECT rookery_dismiss(?, ?, ?)', [laneOf(appId, ''), stored(appId), connectionId]);
  }

  announce(nodeId: string, holdings: NodeHoldings): Promise<readonly ChannelOccupancy[]> {
    return this.say(nodeId, holdings, null);
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly ChannelOccupancy[]> {
    return this.say(nodeId, { channels: [], admitted: [] }, heirId);
  }

  private async say(nodeId: string, { channels, admitted }: NodeHoldings, heirId: string | null) {
    const changes = await this.announcements.announce(nodeId, heirId, (lane) => {
      const held = channels.filter(({ appId, channel }) => laneOf(appId, channel) === lane);
      const open = admitted.filter(({ appId }) => laneOf(appId, '') === lane);
      return [
        held.map(({ appId }) => stored(appId)),
        held.map(({ channel }) => stored(channel)),
        held.map(({ connections }) => connections),
        open.map(({ appId }) => stored(appId)),
        open.map(({ connectionId }) => connectionId),
      ];
    });
    return changes.map((change) => ({
      appId: nameIn(change.app_id),
      channel: nameIn(change.channel),
      ...occupancyOf(change, change.connections),
    }));
  }

  private async ask(question: string, appId: string, channel: string, version: number, by: string): Promise<boolean> {
    const [row] = await this.shared.insist<{ readonly answer: boolean }>(
      `SELECT ${question}(?, 'channel', ?, ?, '', ?, ?) AS answer`,
      [laneOf(appId, channel), stored(appId), stored(channel), version, by],
    );
    return row!.answer;
  }
}

/** @param connections decides which change it was: since then, `count` may have changed again */
function occupancyOf({ count, version, changed_at, is_return }: OccupancyRow, connections: number): Occupancy {
  const latest = { count, version: Number(version) };
  if (changed_at === null) return latest;
  const change = { to: connections > 0 ? ('occupied' as const) : ('vacated' as const), version: Number(changed_at) };
  return { ...latest, change: is_return ? { ...change, isReturn: true } : change };
}
