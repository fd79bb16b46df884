import type { Client } from './client.js';
import { channels, hasMembers } from './cluster-options.js';
import type { LimitsOfApp } from './limits/limits-of-app.js';
import { subjectOf } from './owed-webhooks.js';
import type { ReceivedEvent } from './receiver.js';
import type { StaleCounts } from './stale-counts.js';

/** What shared state says of members. */
export interface SharedInfos {
  /** As JSON; undefined where clients may see another one. */
  of(channel: string, user: string): string | undefined;
}

/** What must be true once everything has settled. */
export class Model {
  /** @param limits keep clients from what they want */
  constructor(
    private readonly clients: readonly Client[],
    private readonly counts: Pick<StaleCounts, 'includes'>,
    private readonly infos: SharedInfos,
    private readonly limits?: LimitsOfApp,
  ) {}

  on(channel: string): readonly Client[] {
    const wanting = this.wanting(channel);
    return this.limits ? wanting.filter(({ views }) => views.get(channel)?.isConfirmed) : wanting;
  }

  members(channel: string): readonly string[] {
    return hasMembers(channel) ? [...new Set(this.on(channel).map(({ kind }) => kind.user))].toSorted() : [];
  }

  /** What a client sees that is not so; undefined if it sees everything. */
  wrongFor({ isWanted, isConnected, unansweredEvents, readings, views }: Client): string | undefined {
    if (!isWanted) return undefined;
    if (!isConnected) return this.limits ? undefined : 'it is not connected';
    if (unansweredEvents !== 0) return `${unansweredEvents} of its client events were neither accepted nor refused`;
    for (const [channel, reading] of readings) {
      const view = views.get(channel);
      if (!view?.isConfirmed && this.limits && hasMembers(channel)) continue;
      if (!view?.isConfirmed) return `it is not on ${channel}`;
      const missing = reading.missing ?? view.passing.missing;
      if (missing !== undefined) return `${missing} of ${channel} never arrived`;
      if (hasMembers(channel)) {
        const wrongInfo = this.wrongInfo(channel, view.members);
        const [seen, is] = [[...view.members.keys()].toSorted().join(), this.members(channel).join()];
        if (seen !== is) return `it sees the members ${seen} on ${channel} instead of ${is}`;
        if (wrongInfo !== undefined) return wrongInfo;
      } else if (view.count !== this.on(channel).length && !this.counts.includes(channel))
        return `it sees the count ${view.count} of ${channel} instead of ${this.on(channel).length}`;
    }
    return undefined;
  }

  private wrongInfo(channel: string, members: ReadonlyMap<string, string>): string | undefined {
    for (const [user, seen] of members) {
      const is = this.infos.of(channel, user);
      if (is !== undefined && seen !== is) return `it sees ${user} on ${channel} with ${seen} instead of ${is}`;
    }
    return undefined;
  }

  /** Whether more, or fewer, have what they want than the limits say. */
  get wrongLimit(): string | undefined {
    const { clients, limits } = this;
    if (!limits) return undefined;
    const all = clients.filter(({ isWanted }) => isWanted);
    const connected = all.filter(({ isConnected }) => isConnected);
    if (connected.length !== Math.min(all.length, limits.maxConnections))
      return `${connected.length} of ${all.length} clients are connected, with a limit of ${limits.maxConnections}`;
    for (const channel of channels.filter(hasMembers)) {
      const wanting = this.wanting(channel).filter(({ isConnected }) => isConnected);
      const users = new Set(wanting.map(({ kind }) => kind.user)).size;
      const members = this.members(channel);
      const exceeding = this.on(channel).filter(({ views }) => views.get(channel)!.mayExceed);
      const isExceeded = members.length > limits.presenceMembers + new Set(exceeding.map(({ kind }) => kind.user)).size;
      if (isExceeded || members.length < Math.min(users, limits.presenceMembers))
        return `${members.length} of ${users} users are on ${channel}, with a limit of ${limits.presenceMembers}`;
      const refused = wanting.find(
        ({ kind, views }) => members.includes(kind.user) && !views.get(channel)?.isConfirmed,
      );
      if (refused) return `client ${refused.number} is not on ${channel}, although its user is`;
    }
    return undefined;
  }

  private wanting(channel: string): readonly Client[] {
    return this.clients.filter(({ isWanted, readings }) => isWanted && readings.has(channel));
  }

  /** The channels and their members that there are. */
  get subjects(): ReadonlySet<string> {
    const occupied = channels.filter((channel) => this.on(channel).length > 0);
    return new Set(
      occupied.flatMap((channel) => [channel, ...this.members(channel).map((user) => subjectOf(channel, user))]),
    );
  }
}

const isNews: Readonly<Record<string, boolean>> = {
  channel_occupied: true,
  member_added: true,
  channel_vacated: false,
  member_removed: false,
};

/** What a store lacked that had lost its latest changes: it tells of no departure that it does not know. */
export interface Loss {
  /** When the replica got its last change. */
  readonly since: number;
  readonly present: ReadonlySet<string>;
  /** Subjects whose webhooks were yet to be stored then. */
  readonly owed: ReadonlySet<string>;
}

/** An event of a webhook; it may repeat the one before if the store lost it. */
export interface Told extends ReceivedEvent {
  readonly at: number;
  readonly mayRepeat: boolean;
}

/** What the webhooks said wrong, in their order: of each subject that it is there, that it is gone, and so on. */
export function wrongWebhooks(
  events: readonly (Told | Loss)[],
  existing: ReadonlySet<string>,
  untold: ReadonlySet<string>,
): string | undefined {
  const there = new Set<string>();
  /** Subjects that may be gone without a webhook. */
  const unsure = new Set<string>();
  const goneAt = new Map<string, number>();
  for (const event of events) {
    if ('present' in event) {
      for (const subject of [...there, ...event.owed]) if (!event.present.has(subject)) unsure.add(subject);
      // It lacks that this was told, too: a return may be taken for one of which nothing was told.
      for (const [subject, at] of goneAt) if (at >= event.since) unsure.add(subject);
      continue;
    }
    const { name, channel, user_id: user, mayRepeat } = event;
    const subject = subjectOf(channel, user);
    if (untold.has(subject)) continue;
    if (there.has(subject) === isNews[name] && !mayRepeat && !unsure.has(subject))
      return `webhooks said twice in a row: ${name} ${subject}`;
    if (!mayRepeat) unsure.delete(subject);
    if (isNews[name]) there.add(subject);
    else {
      there.delete(subject);
      goneAt.set(subject, event.at);
    }
  }
  for (const subject of new Set([...there, ...existing]))
    if (!untold.has(subject) && !unsure.has(subject) && there.has(subject) !== existing.has(subject))
      return `webhooks said last of ${subject} that it is ${there.has(subject) ? 'there' : 'gone'}`;
  return undefined;
}
