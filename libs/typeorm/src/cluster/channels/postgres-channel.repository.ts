import { Injectable } from '@nestjs/common';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings, type Occupancy } from 'rookery/channels';
import { Absences } from '../shared/absences.js';
import { GroupedCalls } from '../shared/grouped-calls.js';
import { LaneAnnouncements } from '../shared/lane-announcements.js';
import { nameIn, stored } from '../shared/names.js';
import { laneOf, SharedDatabase } from '../shared/shared-database.js';
import { channelFunctions, channelTables } from './channel-functions.js';

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
  static readonly port = ChannelRepository;
  static readonly schema = { tables: channelTables, functions: channelFunctions };

  private readonly announcements: LaneAnnouncements<ChangeRow>;
  private readonly occupying: GroupedCalls<OccupancyRow>;
  private readonly admitting: GroupedCalls<{ readonly is_in: boolean }>;
  private readonly dismissing: GroupedCalls<object>;
  private readonly absences: Absences;

  constructor(private readonly shared: SharedDatabase) {
    super();
    this.occupying = new GroupedCalls(shared, 'rookery_occupy(int, text, text, text, int)');
    this.admitting = new GroupedCalls(shared, 'rookery_admit(int, text, text, text, int)');
    this.dismissing = new GroupedCalls(shared, 'rookery_dismiss(int, text, text)');
    this.absences = new Absences(shared, 'channel');
    const statement = 'SELECT stamp, changes FROM rookery_announce_channels(?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.announcements = new LaneAnnouncements(shared, statement, 0);
  }

  async occupy(appId: string, channel: string, nodeId: string, connections: number): Promise<Occupancy> {
    const call = [laneOf(appId, channel), stored(appId), stored(channel), nodeId, connections] as const;
    return occupancyOf(await this.occupying.insist(call), connections);
  }

  holdsVacancy(appId: string, channel: string, version: number, nodeId: string): Promise<boolean> {
    return this.absences.holds(absenceOf(appId, channel), version, nodeId);
  }

  confirmVacated(appId: string, channel: string, version: number): Promise<boolean> {
    return this.absences.confirm(absenceOf(appId, channel), version);
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
    const most = limit === Infinity ? null : limit;
    const answer = await this.admitting.insist([laneOf(appId, ''), stored(appId), nodeId, connectionId, most]);
    return answer.is_in;
  }

  async dismiss(appId: string, _: string, connectionId: string): Promise<void> {
    await this.dismissing.insist([laneOf(appId, ''), stored(appId), connectionId]);
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
}

const absenceOf = (appId: string, channel: string) =>
  [laneOf(appId, channel), stored(appId), stored(channel), ''] as const;

/** @param connections decides which change it was: since then, `count` may have changed again */
function occupancyOf({ count, version, changed_at, is_return }: OccupancyRow, connections: number): Occupancy {
  const latest = { count, version: Number(version) };
  if (changed_at === null) return latest;
  const change = { to: connections > 0 ? ('occupied' as const) : ('vacated' as const), version: Number(changed_at) };
  return { ...latest, change: is_return ? { ...change, isReturn: true } : change };
}
