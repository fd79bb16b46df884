import type PusherJs from 'pusher-js';
import type { Channel, Members } from 'pusher-js';
import type { ServerProcess } from '../support/server-process.js';

interface Told {
  /** When, as the report shows it. */
  readonly at: string;
  readonly channel: string;
  /** With a roster, changes begin anew. */
  readonly what: 'came' | 'left' | 'roster';
  /** The user that came or left. */
  readonly user: string | undefined;
}

/** A connection of a user, and what it was told. */
export class Participant {
  readonly joined = new Map<string, Channel>();
  /** Of members of channels, in that order. */
  readonly told: Told[] = [];
  /** Whether the users that it watches are online, by the latest word on each. */
  readonly online = new Map<string, boolean>();
  /** How many connections are on a channel, by the latest word on each. */
  readonly counts = new Map<string, number>();
  isSignedIn = false;

  constructor(
    readonly user: string,
    readonly server: ServerProcess,
    readonly client: PusherJs,
  ) {
    for (const name of ['online', 'offline'])
      client.user.watchlist.bind(name, ({ user_ids: ids }: { user_ids: string[] }) => {
        for (const id of ids) this.online.set(id, name === 'online');
      });
  }

  signIn(): void {
    this.isSignedIn = true;
    this.client.signin();
  }

  join(name: string): void {
    const channel = this.client.subscribe(name);
    this.joined.set(name, channel);
    const tell = (what: Told['what'], user?: string) =>
      void this.told.push({ at: timeText(), channel: name, what, user });
    channel.bind('pusher:subscription_succeeded', () => tell('roster'));
    channel.bind('pusher:member_added', ({ id }: { id: string }) => tell('came', id));
    channel.bind('pusher:member_removed', ({ id }: { id: string }) => tell('left', id));
    channel.bind('pusher:subscription_count', ({ subscription_count: count }: { subscription_count: number }) =>
      this.counts.set(name, count),
    );
  }

  leave(name: string): void {
    this.client.unsubscribe(name);
    this.joined.delete(name);
    this.counts.delete(name);
  }

  membersOf(name: string): string[] {
    const ids: string[] = [];
    const { members } = this.joined.get(name) as Channel & { readonly members: Members };
    members.each(({ id }: { id: string }) => ids.push(id));
    return ids.toSorted();
  }

  get usersOnline(): string[] {
    return [...this.online]
      .filter(([, isOnline]) => isOnline)
      .map(([user]) => user)
      .toSorted();
  }

  /** Everything that it was told of a channel. */
  toldOf(name: string): string {
    const told = this.told.filter(({ channel }) => channel === name);
    return told.map(({ at, user, what }) => `${at} ${user ?? ''} ${what}`).join(', ');
  }

  /** Where it was told the same of a user twice, with all that it was told of them: each comes and goes by turns. */
  get repetitions(): string[] {
    const last = new Map<string, Told['what']>();
    return this.told.flatMap(({ channel, user, what }) => {
      if (what === 'roster') for (const key of last.keys()) if (key.startsWith(`${channel} `)) last.delete(key);
      if (user === undefined) return [];
      const key = `${channel} ${user}`;
      const isRepeated = last.get(key) === what;
      last.set(key, what);
      if (!isRepeated) return [];
      const all = this.told.filter((each) => each.channel === channel && (each.user ?? user) === user);
      const words = all.map((each) => `${each.at} ${each.what}`).join(', ');
      return [`a client of ${this.user} on process ${this.server.port}, of ${user} on ${channel}: ${words}`];
    });
  }
}

/** Minutes, seconds and milliseconds. */
export const timeText = (): string => new Date().toISOString().slice(14, 23);
