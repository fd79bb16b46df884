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
import { RedisConnection } from '../connection/redis.connection.js';
import { allPartitions, byPartition, nameOf, partitionOf, partsOf } from '../keys.js';
import * as scripts from './scripts.js';

type JoinAnswer = readonly [isIn: 0 | 1, isFirst: string, version: string];
type LeaveAnswer = readonly [userId: string, wasLast: string, version: string] | null;
type RosterAnswer = readonly [version: string, users: readonly string[]];
type Change = readonly [room: string, userId: string, info: string, isPresent: string, version: string];

/** The ledger in Redis. Calls that may be repeated wait while it is away; the others fail at once. */
@Injectable()
export class RedisPresenceRepository extends PresenceRepository {
  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async join(room: Room, { nodeId, connectionId }: Holder, member: Member, limit: number): Promise<Joined> {
    const name = nameOf(room.scope, room.name);
    const most = limit === Infinity ? -1 : limit;
    const args = [nodeId, name, connectionId, member.userId, infoText(member), most];
    const [isIn, isFirst, version] = (await this.redis.insist(scripts.join, [this.base(name)], args)) as JoinAnswer;
    if (isIn === 0) return { outcome: 'full' };
    return { outcome: 'joined', isFirst: isFirst === '1', version: Number(version) };
  }

  async leave(room: Room, { nodeId, connectionId }: Holder): Promise<Left | undefined> {
    const name = nameOf(room.scope, room.name);
    const answer = await this.redis.insist(scripts.leave, [this.base(name)], [nodeId, name, connectionId]);
    if (answer === null) return undefined;
    const [userId, wasLast, version] = answer as NonNullable<LeaveAnswer>;
    return { userId, wasLast: wasLast === '1', version: Number(version) };
  }

  announce(nodeId: string, held: readonly Presence[]): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, held, false);
  }

  takeOut(nodeId: string): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, [], true);
  }

  async roster(room: Room): Promise<Roster> {
    const name = nameOf(room.scope, room.name);
    const [version, fields] = (await this.redis.run(scripts.roster, [this.base(name)], [name])) as RosterAnswer;
    const users: { readonly since: number; readonly member: Member }[] = [];
    for (let i = 0; i < fields.length; i += 2) {
      const [, since, info] = /^(\d+) \d+ (.*)$/s.exec(fields[i + 1]!)!; // Written by the scripts.
      users.push({ since: Number(since), member: memberOf(fields[i]!, info!) });
    }
    users.sort((a, b) => a.since - b.since);
    return { members: users.map(({ member }) => member), version: Number(version) };
  }

  async memberCounts(scope: string, names: readonly string[]): Promise<readonly number[]> {
    return this.redis.ask((client) =>
      Promise.all(names.map((name) => client.hlen(this.usersKey(nameOf(scope, name))))),
    );
  }

  async present({ scope, name }: Room, userIds: readonly string[]): Promise<readonly string[]> {
    if (userIds.length === 0) return [];
    const key = this.usersKey(nameOf(scope, name));
    const found = await this.redis.ask((client) => client.hmget(key, ...userIds));
    return userIds.filter((_, i) => found[i] !== null);
  }

  private async say(nodeId: string, held: readonly Presence[], isGone: boolean): Promise<readonly PresenceChange[]> {
    const groups = byPartition(
      held.map(({ room, connectionId, member }) => ({ name: nameOf(room.scope, room.name), connectionId, member })),
      ({ name }) => partitionOf(name),
    );
    const changes = await Promise.all(
      allPartitions.map((partition) => {
        const all = (groups.get(partition) ?? []).flatMap(({ name, connectionId, member }) => [
          name,
          connectionId,
          member.userId,
          infoText(member),
        ]);
        const args = [nodeId, isGone ? 1 : 0, ...all];
        return this.redis.insist(scripts.announce, [this.redis.keys.in(partition)], args) as Promise<readonly Change[]>;
      }),
    );
    return changes
      .flat()
      .map(([room, userId, info, isPresent, version]) => ({
        room: partsOf(room),
        member: memberOf(userId, info),
        isPresent: isPresent === '1',
        version: Number(version),
      }))
      .sort((a, b) => a.version - b.version);
  }

  private usersKey(name: string): string {
    return `${this.base(name)}users:${name}`;
  }

  private base(name: string): string {
    return this.redis.keys.in(partitionOf(name));
  }
}

const infoText = ({ userInfoJson }: Member): string => (userInfoJson === undefined ? '-' : `+${userInfoJson}`);

const memberOf = (userId: string, info: string): Member =>
  info === '-' ? { userId } : { userId, userInfoJson: info.slice(1) };
