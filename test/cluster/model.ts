import type PusherJs from 'pusher-js';
import type { PresenceChannel } from 'pusher-js';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster } from '../support/cluster.js';
import type { Random } from '../support/random.js';
import type { TestRedis } from '../support/redis.js';
import type { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';

const channels = ['presence-a', 'presence-b', 'presence-c'];
const users = ['ann', 'ben', 'cat', 'dan', 'eve'];
const mostClients = 10;

/** How often each thing happens. */
const weights = { connect: 6, disconnect: 3, join: 10, leave: 5, kill: 1, pause: 1, drain: 1, forget: 1 };
export type Happening = keyof typeof weights;

interface Told {
  readonly channel: string;
  readonly user: string;
  readonly isPresent: boolean;
}

/** A connection of a user, and what it was told. */
class Participant {
  readonly joined = new Map<string, PresenceChannel>();
  readonly told: Told[] = [];

  constructor(
    readonly user: string,
    readonly server: ServerProcess,
    readonly client: PusherJs,
  ) {}

  join(name: string): void {
    const channel = this.client.subscribe(name) as PresenceChannel;
    this.joined.set(name, channel);
    const tell = (isPresent: boolean) => (member: { id: string }) =>
      void this.told.push({ channel: name, user: member.id, isPresent });
    channel.bind('pusher:member_added', tell(true));
    channel.bind('pusher:member_removed', tell(false));
  }

  leave(name: string): void {
    this.client.unsubscribe(name);
    this.joined.delete(name);
  }

  membersOf(name: string): string[] {
    const ids: string[] = [];
    this.joined.get(name)!.members.each(({ id }: { id: string }) => ids.push(id));
    return ids.toSorted();
  }
}

/** Random things happen to processes, clients and Redis; what should be true of presence then is known here. */
export class Model {
  private participants: Participant[] = [];
  private readonly log: string[] = [];

  constructor(
    private readonly cluster: TestCluster,
    private readonly redis: TestRedis,
    private readonly receiver: WebhookReceiver,
    private readonly random: Random,
  ) {}

  /** What has happened, for the report of a failure. */
  get history(): string {
    return this.log.join('\n');
  }

  async step(): Promise<Happening> {
    const what = this.random.weighted(weights);
    await this[what]().catch((error: unknown) => this.fail(String(error)));
    await delay(this.random.below(150));
    return what;
  }

  /** Waits until everybody says what is true, and throws where they do not. */
  async settle(): Promise<void> {
    this.note('quiet');
    let wrong = '';
    await until(
      async () => {
        // While Redis is away, the processes say so.
        wrong = await this.differences().then((found) => found.join('\n'), String);
        return wrong === '';
      },
      'all agree',
      30_000,
    ).catch(() => this.fail(wrong));
  }

  /** Whether every client heard of each user by turns: added, removed, added … */
  repetitions(): string[] {
    return this.participants.flatMap(({ user, told }, i) => {
      const last = new Map<string, boolean>();
      return told.flatMap(({ channel, user: other, isPresent }) => {
        const key = `${channel} ${other}`;
        const isRepeated = last.get(key) === isPresent;
        last.set(key, isPresent);
        return isRepeated
          ? [`client ${i} of ${user} was told twice that ${other} ${isPresent ? 'came' : 'left'} (${channel})`]
          : [];
      });
    });
  }

  /** What the webhooks add up to, for each member: 1 where they are present. */
  webhookSums(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { name, channel, user_id: user } of this.receiver.events('/hook')) {
      if (name !== 'member_added' && name !== 'member_removed') continue;
      const key = `${channel} ${user}`;
      sums.set(key, (sums.get(key) ?? 0) + (name === 'member_added' ? 1 : -1));
    }
    return sums;
  }

  /** Who is on a channel. */
  present(channel: string): string[] {
    const here = this.participants.filter(({ joined }) => joined.has(channel)).map(({ user }) => user);
    return [...new Set(here)].toSorted();
  }

  get members(): string[] {
    return channels.flatMap((channel) => this.present(channel).map((user) => `${channel} ${user}`));
  }

  private async differences(): Promise<string[]> {
    const wrong: string[] = [];
    const compare = (what: string, actual: unknown, expected: unknown): void => {
      const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (is !== should) wrong.push(`${what}: ${is} instead of ${should}`);
    };
    for (const channel of channels) {
      const expected = this.present(channel);
      const connections = this.participants.filter(({ joined }) => joined.has(channel)).length;
      for (const [i, server] of this.cluster.processes.entries()) {
        const { users: listed = [] } = await this.cluster.get(server, `/channels/${channel}/users`);
        compare(`users of ${channel} on process ${i}`, listed.map(({ id }: { id: string }) => id).toSorted(), expected);
        const info = { info: 'subscription_count,user_count' };
        const { subscription_count: count, user_count: people } = await this.cluster.get(
          server,
          `/channels/${channel}`,
          info,
        );
        compare(`counts of ${channel} on process ${i}`, [count ?? 0, people], [connections, expected.length]);
      }
      for (const [i, participant] of this.participants.entries())
        if (participant.joined.has(channel))
          compare(`client ${i} of ${participant.user} on ${channel}`, participant.membersOf(channel), expected);
    }
    return wrong;
  }

  private async connect(): Promise<void> {
    if (this.participants.length >= mostClients) return;
    const user = this.random.of(users);
    const server = this.random.of(this.cluster.processes);
    await this.connectTo(server, user);
    this.note(`${user} connects to ${server.port}`);
  }

  private async connectTo(server: ServerProcess, user: string): Promise<Participant> {
    const client = await this.cluster.client(server, { user_id: user });
    const participant = new Participant(user, server, client);
    this.participants.push(participant);
    return participant;
  }

  private async disconnect(): Promise<void> {
    const participant = this.someone();
    if (!participant) return;
    this.note(`a client of ${participant.user} disconnects`);
    this.remove(participant);
  }

  private async join(): Promise<void> {
    const participant = this.someone();
    const channel = this.random.of(channels);
    if (!participant || participant.joined.has(channel)) return;
    this.note(`a client of ${participant.user} joins ${channel}`);
    participant.join(channel);
  }

  private async leave(): Promise<void> {
    const participant = this.someone();
    const channel = participant && [...participant.joined.keys()][0];
    if (!channel || !participant.joined.get(channel)!.subscribed) return;
    this.note(`a client of ${participant.user} leaves ${channel}`);
    participant.leave(channel);
  }

  private async kill(): Promise<void> {
    const server = this.random.of(this.cluster.processes);
    this.note(`process ${server.port} is killed`);
    const moving = this.participants.filter((each) => each.server === server);
    for (const participant of moving) this.remove(participant);
    await server.kill();
    await this.replace(server);
    for (const participant of moving) await this.move(participant);
  }

  private async drain(): Promise<void> {
    const server = this.random.of(this.cluster.processes);
    this.note(`process ${server.port} is drained`);
    const moving = this.participants.filter((each) => each.server === server);
    server.signal('SIGTERM');
    this.cluster.processes.splice(this.cluster.processes.indexOf(server), 1);
    for (const participant of moving) {
      await until(() => participant.client.connection.state !== 'connected', 'a client is sent away', 30_000);
      this.remove(participant);
      await this.move(participant);
    }
    await server.exit();
    await this.cluster.add();
  }

  private async pause(): Promise<void> {
    const server = this.random.of(this.cluster.processes);
    const milliseconds = 200 + this.random.below(2500);
    this.note(`process ${server.port} is paused for ${milliseconds} ms`);
    server.signal('SIGSTOP');
    await delay(milliseconds);
    server.signal('SIGCONT');
  }

  private async forget(): Promise<void> {
    this.note('Redis is killed, and started empty');
    await this.redis.kill();
    await delay(this.random.below(500));
    await this.redis.start();
  }

  private async replace(server: ServerProcess): Promise<void> {
    this.cluster.processes.splice(this.cluster.processes.indexOf(server), 1);
    await this.cluster.add();
  }

  /** As a load balancer would: the client comes back elsewhere, on the channels that it had. */
  private async move({ user, joined }: Participant): Promise<void> {
    const participant = await this.connectTo(this.random.of(this.cluster.processes), user);
    for (const channel of joined.keys()) participant.join(channel);
  }

  private remove(participant: Participant): void {
    participant.client.disconnect();
    this.participants = this.participants.filter((each) => each !== participant);
  }

  private someone(): Participant | undefined {
    return this.participants.length > 0 ? this.random.of(this.participants) : undefined;
  }

  private fail(why: string): never {
    const said = this.cluster.processes.map(({ port, output }) => `Process ${port} said last:\n${lastLines(output)}`);
    throw new Error([`After\n${this.history}`, why, ...said].join('\n\n'));
  }

  private note(what: string): void {
    this.log.push(`${new Date().toISOString().slice(14, 23)} ${what}`);
  }
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-30).join('\n');
