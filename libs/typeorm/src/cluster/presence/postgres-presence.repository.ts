import { Injectable } from '@nestjs/common';
import {
  type Holder,
  type Joined,
  type Left,
  type Member,
  type Presence,
  type PresenceChange,
  PresenceRepository,
  type Room,
  type Roster,
} from 'rookery/presence';
import { Absences } from '../shared/absences.js';
import { GroupedCalls } from '../shared/grouped-calls.js';
import { LaneAnnouncements } from '../shared/lane-announcements.js';
import { nameIn, stored } from '../shared/names.js';
import { laneOf, lanes, SharedDatabase } from '../shared/shared-database.js';
import { presenceFunctions, presenceTables } from './presence-functions.js';

/** Bigints of a statement are texts, those of its JSON are numbers. */
type Version = number | string;

interface JoinedRow {
  readonly is_in: boolean;
  readonly first: number;
  readonly version: Version;
  readonly previous: Version | null;
}

interface LeftRow {
  readonly user_id: string | null;
  readonly was_last: boolean;
  readonly version: Version;
  readonly since: Version | null;
}

interface RosterRow {
  readonly version: Version;
  /** Null in an empty room. */
  readonly user_id: string | null;
  readonly info: string | null;
  readonly info_since: Version;
}

interface ChangeRow {
  readonly app_id: string;
  readonly name: string;
  readonly user_id: string;
  readonly info?: string | null;
  readonly first: number;
  readonly version: Version;
  readonly previous?: Version | null;
}

/** The ledger in PostgreSQL. Subscriptions wait while it is away; mere queries fail at once. */
@Injectable()
export class PostgresPresenceRepository extends PresenceRepository {
  static readonly port = PresenceRepository;
  static readonly schema = { tables: presenceTables, functions: presenceFunctions };

  private readonly announcements: LaneAnnouncements<ChangeRow>;
  private readonly joining: GroupedCalls<JoinedRow>;
  private readonly leaving: GroupedCalls<LeftRow>;
  private readonly updating: GroupedCalls<{ readonly version: Version | null }>;
  private readonly absences: Absences;

  constructor(private readonly shared: SharedDatabase) {
    super();
    this.joining = new GroupedCalls(shared, 'rookery_join(int, text, text, text, text, text, text, int)');
    this.leaving = new GroupedCalls(shared, 'rookery_leave(int, text, text, text, text)');
    this.updating = new GroupedCalls(shared, 'rookery_update_member(int, text, text, text, text)');
    this.absences = new Absences(shared, 'member');
    const statement = 'SELECT stamp, changes FROM rookery_announce_members(?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.announcements = new LaneAnnouncements(shared, statement, lanes);
  }

  async join(room: Room, { nodeId, connectionId }: Holder, member: Member, limit: number): Promise<Joined> {
    const most = limit === Infinity ? null : limit;
    const { userId, userInfoJson = null } = member;
    const { is_in, first, version, previous } = await this.joining.insist([
      ...placeOf(room),
      connectionId,
      nodeId,
      stored(userId),
      userInfoJson,
      most,
    ]);
    if (!is_in) return { outcome: 'full' };
    return { outcome: 'joined', isFirst: first > 0, version: Number(version), ...since(previous), ...returned(first) };
  }

  async leave(room: Room, { nodeId, connectionId }: Holder): Promise<Left | undefined> {
    const left = await this.leaving.insist([...placeOf(room), connectionId, nodeId]);
    const { user_id, was_last, version, since: before } = left;
    if (user_id === null) return undefined;
    return { userId: nameIn(user_id), wasLast: was_last, version: Number(version), ...since(before) };
  }

  async update(room: Room, { userId, userInfoJson }: Member): Promise<number | undefined> {
    const { version } = await this.updating.insist([...placeOf(room), stored(userId), userInfoJson ?? null]);
    return version === null ? undefined : Number(version);
  }

  announce(nodeId: string, held: readonly Presence[]): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, held, null);
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, [], heirId);
  }

  async roster(room: Room): Promise<Roster> {
    const [lane, ...place] = placeOf(room);
    const select = `SELECT l.version, u.user_id, u.info, u.info_since FROM rookery_lanes l
       LEFT JOIN rookery_present_users u ON u.app_id = ? AND u.name = ? WHERE l.lane = ? ORDER BY u.since`;
    const rows = await this.shared.insistOnAll(() => this.shared.run<RosterRow>(select, [...place, lane]));
    // No call has used this lane yet, so the room is empty.
    if (rows.length === 0) return { members: [], version: await this.beginLane(lane) };
    const members = rows.flatMap(({ user_id, info, info_since: at }) =>
      user_id === null ? [] : [{ ...memberOf(user_id, info), since: Number(at) }],
    );
    return { members, version: Number(rows[0]!.version) };
  }

  async memberCounts(scope: string, names: readonly string[]): Promise<readonly number[]> {
    const rows = await this.shared.read<{ readonly name: string; readonly count: string }>(
      `SELECT name, count(*) AS count FROM rookery_present_users WHERE app_id = ? AND name = ANY(?) GROUP BY name`,
      [stored(scope), names.map(stored)],
    );
    const counts = new Map(rows.map(({ name, count }) => [name, Number(count)]));
    return names.map((name) => counts.get(stored(name)) ?? 0);
  }

  holdsAbsence(room: Room, userId: string, version: number, nodeId: string): Promise<boolean> {
    return this.absences.holds([...placeOf(room), stored(userId)], version, nodeId);
  }

  confirmAbsent(room: Room, userId: string, version: number): Promise<boolean> {
    return this.absences.confirm([...placeOf(room), stored(userId)], version);
  }

  private async say(nodeId: string, held: readonly Presence[], heirId: string | null) {
    const changes = await this.announcements.announce(nodeId, heirId, (lane) => {
      const some = held.filter(({ room }) => placeOf(room)[0] === lane);
      return [
        some.map(({ room }) => stored(room.scope)),
        some.map(({ room }) => stored(room.name)),
        some.map(({ connectionId }) => connectionId),
        some.map(({ member }) => stored(member.userId)),
        some.map(({ member }) => member.userInfoJson ?? null),
      ];
    });
    return changes.map(changeOf).sort((a, b) => a.version - b.version);
  }

  private async beginLane(lane: number): Promise<number> {
    const [row] = await this.shared.run<{ readonly version: Version }>('SELECT rookery_next_version(?) AS version', [
      lane,
    ]);
    return Number(row!.version);
  }
}

/** A room's lane, scope and name. */
const placeOf = ({ scope, name }: Room): readonly [lane: number, scope: string, name: string] => [
  lanes + laneOf(scope, name),
  stored(scope),
  stored(name),
];

const changeOf = ({ app_id, name, user_id, info, first, version, previous }: ChangeRow): PresenceChange => ({
  room: { scope: nameIn(app_id), name: nameIn(name) },
  member: memberOf(user_id, info),
  isPresent: first > 0,
  version: Number(version),
  ...since(previous),
  ...returned(first),
});

const since = (previous: Version | null | undefined): { previous?: number } =>
  previous === null || previous === undefined ? {} : { previous: Number(previous) };

const returned = (first: number): { isReturn?: true } => (first === 2 ? { isReturn: true } : {});

const memberOf = (userId: string, info: string | null | undefined): Member =>
  info === null || info === undefined ? { userId: nameIn(userId) } : { userId: nameIn(userId), userInfoJson: info };
