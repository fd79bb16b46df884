import type PusherJs from 'pusher-js';
import type { Channel, Members } from 'pusher-js';
import type { ServerProcess } from '../support/server-process.js';

interface Told {
  readonly channel: string;
  readonly user: string;
  readonly isPresent: boolean;
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
    const tell = (isPresent: boolean) => (member: { id: string }) =>
      void this.told.push({ channel: name, user: member.id, isPresent });
    channel.bind('pusher:member_added', tell(true));
    channel.bind('pusher:member_removed', tell(false));
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

  /** Where it was told the same of a user twice: each comes and goes by turns. */
  get repetitions(): string[] {
    const last = new Map<string, boolean>();
    return this.told.flatMap(({ channel, user, isPresent }) => {
      const key = `${channel} ${user}`;
      const isRepeated = last.get(key) === isPresent;
      last.set(key, isPresent);
      return isRepeated
        ? [`a client of ${this.user} was told twice that ${user} ${isPresent ? 'came' : 'left'} (${channel})`]
        : [];
    });
  }
}
