import { randomUUID } from 'node:crypto';
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
  type RosterMember,
} from 'rookery/presence';
import { AnswerStamps } from '../connection/answer-stamps.js';
import { digits, list, oneOf, text, UnreadableAnswer } from '../connection/answers.js';
import { RecentConfirmations } from '../connection/recent-confirmations.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { allPartitions, anyWith, byPartition, nameOf, partitionOf, partsOf } from '../keys.js';
import * as scripts from './scripts.js';

/** Whether a user came or left with a connection; with `2` the user has returned. */
const firsts = ['0', '1', '2'] as const;

/** The ledger in Redis. Subscriptions wait while Redis is away; mere queries fail at once. */
@Injectable()
export class RedisPresenceRepository extends PresenceRepository {
  static readonly port = PresenceRepository;

  private readonly confirmed = new RecentConfirmations();
  private readonly stamps = new AnswerStamps();

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async join(room: Room, { nodeId, connectionId }: Holder, member: Member, limit: number): Promise<Joined> {
    const name = nameOf(room.scope, room.name);
    const most = limit === Infinity ? -1 : limit;
    const args = [nodeId, name, connectionId, member.userId, infoText(member), most];
    const answer = await this.redis.insist(scripts.join, this.keysOf(name), args);
    const [isIn, firstText, version, previous] = list(answer);
    if (isIn === 0) return { outcome: 'full' };
    const first = oneOf(firsts, firstText);
    return {
      outcome: 'joined',
      isFirst: first !== '0',
      version: digits(version),
      ...since(previous),
      ...returned(first),
    };
  }

  async leave(room: Room, { nodeId, connectionId }: Holder): Promise<Left | undefined> {
    const name = nameOf(room.scope, room.name);
    const answer = await this.redis.insist(scripts.leave, this.keysOf(name), [nodeId, name, connectionId]);
    if (answer === null) return undefined;
    const [userId, wasLast, version, previous] = list(answer);
    return {
      userId: text(userId),
      wasLast: oneOf(firsts, wasLast) === '1',
      version: digits(version),
      // A repeated answer has none.
      ...since(previous),
    };
  }

  async update(room: Room, member: Member): Promise<number | undefined> {
    const name = nameOf(room.scope, room.name);
    const args = [name, member.userId, infoText(member)];
    const version = await this.redis.insist(scripts.update, this.keysOf(name), args);
    return version === null ? undefined : digits(version);
  }

  announce(nodeId: string, held: readonly Presence[]): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, held, '');
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly PresenceChange[]> {
    return this.say(nodeId, [], heirId);
  }

  async roster(room: Room): Promise<Roster> {
    const name = nameOf(room.scope, room.name);
    const [version, fields] = list(await this.redis.insist(scripts.roster, this.keysOf(name), [name]));
    const entries = list(fields);
    // Alternating users and what is kept of them.
    const pairs = entries.flatMap((user, i) => (i % 2 === 0 ? [[user, entries[i + 1]]] : []));
    const users = this.redis.dropped.readable('member', pairs, presentOf);
    users.sort((a, b) => a.since - b.since);
    return { members: users.map(({ member }) => member), version: digits(version) };
  }

  async memberCounts(scope: string, names: readonly string[]): Promise<readonly number[]> {
    return this.redis.ask((client) =>
      Promise.all(names.map((name) => client.hlen(this.usersKey(nameOf(scope, name))))),
    );
  }

  async holdsAbsence({ scope, name }: Room, userId: string, version: number, nodeId: string): Promise<boolean> {
    const room = nameOf(scope, name);
    const args = [`${room}\n${userId}`, version, nodeId];
    return (await this.redis.insist(scripts.holdsAbsence, this.keysOf(room), args)) === 1;
  }

  async confirmAbsent({ scope, name }: Room, userId: string, version: number): Promise<boolean> {
    const room = nameOf(scope, name);
    const subject = `${room}\n${userId}`;
    const args = [subject, version, randomUUID()];
    const isConfirmed = (await this.redis.insist(scripts.confirmAbsent, this.keysOf(room), args)) === 1;
    if (isConfirmed) this.confirmed.note(partitionOf(room), subject, version);
    return isConfirmed;
  }

  private async say(nodeId: string, held: readonly Presence[], heirId: string): Promise<readonly PresenceChange[]> {
    const groups = byPartition(
      held.map(({ room, connectionId, member }) => ({ name: nameOf(room.scope, room.name), connectionId, member })),
      ({ name }) => partitionOf(name),
    );
    const confirmations = heirId === '' ? this.confirmed.inPartitions() : undefined;
    const answers = await Promise.all(
      allPartitions.map((partition) => {
        const all = (groups.get(partition) ?? []).flatMap(({ name, connectionId, member }) => [
          name,
          connectionId,
          member.userId,
          infoText(member),
        ]);
        const confirmed = confirmations?.get(partition) ?? [];
        const args = [nodeId, heirId, this.stamps.get(partition), confirmed.length / 2, ...confirmed, ...all];
        return this.redis.insist(scripts.announce, anyWith(this.redis.keys.in(partition)), args, {
          evenIncomplete: true,
        });
      }),
    );
    return this.redis.dropped
      .readable('change of a member', this.stamps.changesOf(answers), changeOf)
      .sort((a, b) => a.version - b.version);
  }

  private usersKey(name: string): string {
    return `${this.redis.keys.in(partitionOf(name))}users:${name}`;
  }

  private keysOf(name: string): readonly string[] {
    return anyWith(this.redis.keys.in(partitionOf(name)));
  }
}

/** Each as `<version of the join> <connections> <info>`. */
function presentOf(pair: unknown): { readonly since: number; readonly member: RosterMember } {
  const [userId, kept] = list(pair);
  const [, since, info] = /^(\d+) \d+ (.*)$/s.exec(text(kept)) ?? [];
  if (info === undefined) throw new UnreadableAnswer('a member');
  const updated = /^\d*/.exec(info)![0] || '0';
  const member = { ...memberOf(text(userId), info), since: Math.max(digits(since), digits(updated)) };
  return { since: digits(since), member };
}

function changeOf(change: unknown): PresenceChange {
  const [room, userId, info, firstText, version, previous] = list(change);
  const first = oneOf(firsts, firstText);
  return {
    room: partsOf(text(room)),
    member: memberOf(text(userId), text(info)),
    isPresent: first !== '0',
    version: digits(version),
    ...since(previous),
    ...returned(first),
  };
}

const since = (previous: unknown): { previous?: number } =>
  (previous ?? '') === '' ? {} : { previous: digits(previous) };

const returned = (first: string): { isReturn?: true } => (first === '2' ? { isReturn: true } : {});

const infoText = ({ userInfoJson }: Member): string => (userInfoJson === undefined ? '-' : `+${userInfoJson}`);

/** @param kept the info, after the version of its update if there was one */
function memberOf(userId: string, kept: string): Member {
  const info = kept.replace(/^\d+/, '');
  return info === '-' ? { userId } : { userId, userInfoJson: info.slice(1) };
}
