import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster } from '../support/cluster.js';
import type { Random } from '../support/random.js';
import type { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { Participant, timeText } from './participant.js';

const rooms = ['presence-a', 'presence-b', 'presence-c'];
const channels = [...rooms, 'news'];
const users = ['ann', 'ben', 'cat', 'dan', 'eve'];
const maxClients = 10;

/** How often each thing happens. */
const weights = { connect: 6, disconnect: 3, signIn: 4, join: 10, leave: 5, kill: 1, pause: 1, drain: 1, failRedis: 2 };
export type ModelStep = keyof typeof weights;

/** Redis fails; it is back when this settles. While it is under way, `meanwhile` may happen. */
export type Failure = (random: Random, meanwhile: () => Promise<void>) => Promise<void>;

/** Random things happen to processes, clients and Redis; what should be true of presence then is known here. */
export class Model {
  private participants: Participant[] = [];
  /** Users that a killed process may not have announced: see `kill`. */
  private readonly untold = new Set<string>();
  private readonly log: string[] = [];

  constructor(
    private readonly cluster: TestCluster,
    private readonly failure: Failure,
    private readonly receiver: WebhookReceiver,
    private readonly random: Random,
  ) {}

  async step(): Promise<ModelStep> {
    const what = this.random.weighted(weights);
    await this[what]().catch((error: unknown) => this.fail(String(error)));
    await delay(this.random.below(150));
    return what;
  }

  /** Waits until everybody says what is true; throws where they do not, or clients were told the same twice. */
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
    const repetitions = this.participants.flatMap((each) => each.repetitions);
    if (repetitions.length > 0) this.fail(`Told twice the same:\n${repetitions.join('\n')}`);
  }

  /** What webhooks say is there, channels and their members, and how often it was said to be more than to be gone. */
  webhookSums(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { name, channel, user_id: user } of this.receiver.events('/hook')) {
      const change = changes[name as keyof typeof changes] ?? 0;
      const key = user === undefined ? channel : `${channel} ${user}`;
      if (!this.untold.has(key)) sums.set(key, (sums.get(key) ?? 0) + change);
    }
    return sums;
  }

  /** Whether webhooks said last that it is there (1) or gone (0). */
  webhooksLast(): Map<string, number> {
    const last = new Map<string, number>();
    for (const { name, channel, user_id: user } of this.receiver.events('/hook')) {
      const change = changes[name as keyof typeof changes];
      if (change) last.set(user === undefined ? channel : `${channel} ${user}`, change > 0 ? 1 : 0);
    }
    return last;
  }

  /** The channels that are occupied, and the members of each. */
  get existing(): string[] {
    return channels
      .filter((channel) => this.on(channel).length > 0)
      .flatMap((channel) => [channel, ...this.present(channel).map((user) => `${channel} ${user}`)])
      .filter((key) => !this.untold.has(key));
  }

  private on(channel: string): Participant[] {
    return this.participants.filter(({ joined }) => joined.has(channel));
  }

  /** The members of a channel, which only presence channels have. */
  private present(channel: string): string[] {
    return rooms.includes(channel) ? usersOf(this.on(channel)) : [];
  }

  private async differences(): Promise<string[]> {
    const wrong: string[] = [];
    const compare = (what: string, actual: unknown, expected: unknown): void => {
      const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (is !== should) wrong.push(`${what}: ${is} instead of ${should}`);
    };
    for (const [i, server] of this.cluster.processes.entries())
      for (const channel of channels) {
        const members = this.present(channel);
        const isRoom = rooms.includes(channel);
        const info = { info: isRoom ? 'subscription_count,user_count' : 'subscription_count' };
        const { subscription_count: count = 0, user_count: people = 0 } = await this.cluster.get(
          server,
          `/channels/${channel}`,
          info,
        );
        compare(`counts of ${channel} on process ${i}`, [count, people], [this.on(channel).length, members.length]);
        if (!isRoom) continue;
        const { users: listed = [] } = await this.cluster.get(server, `/channels/${channel}/users`);
        compare(`users of ${channel} on process ${i}`, listed.map(({ id }: { id: string }) => id).toSorted(), members);
      }
    const online = usersOf(this.participants.filter(({ isSignedIn }) => isSignedIn));
    for (const [i, participant] of this.participants.entries()) {
      const client = `client ${i} of ${participant.user} on process ${participant.server.port}`;
      for (const channel of participant.joined.keys())
        if (rooms.includes(channel))
          compare(
            `${client} on ${channel}, told ${participant.toldOf(channel)}`,
            participant.membersOf(channel),
            this.present(channel),
          );
        else compare(`${client} of the count of ${channel}`, participant.counts.get(channel), this.on(channel).length);
      if (participant.isSignedIn) compare(`${client} of who is online`, participant.usersOnline, online);
    }
    return wrong;
  }

  private async connect(): Promise<void> {
    if (this.participants.length >= maxClients) return;
    const user = this.random.of(users);
    const server = this.random.of(this.cluster.processes);
    await this.connectTo(server, user);
    this.note(`${user} connects to ${server.port}`);
  }

  private async connectTo(server: ServerProcess, user: string): Promise<Participant> {
    const client = await this.cluster.client(server, { user_id: user, watchlist: users });
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

  private async signIn(): Promise<void> {
    const participant = this.someone();
    if (!participant || participant.isSignedIn) return;
    this.note(`a client of ${participant.user} signs in`);
    participant.signIn();
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

  /**
   * A process that dies between a change and its webhook loses the webhook: Redis has the change by then, and no other
   * process knows that the webhook was not sent. So the sums leave out members on the dead process without a webhook.
   */
  private async kill(): Promise<void> {
    const server = this.random.of(this.cluster.processes);
    this.note(`process ${server.port} is killed`);
    const moving = this.participants.filter((each) => each.server === server);
    const sums = this.webhookSums();
    for (const { user, joined } of moving)
      for (const channel of joined.keys())
        for (const key of [channel, `${channel} ${user}`]) if (sums.get(key) !== 1) this.untold.add(key);
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
      await until(() => participant.client.connection.state !== 'connected', 'a client is sent away');
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

  private async failRedis(): Promise<void> {
    const meanwhile = async (): Promise<void> => {
      await this.join();
      await this.leave();
    };
    this.note('Redis fails');
    await this.failure(this.random, meanwhile);
    this.note('Redis is back');
  }

  private async replace(server: ServerProcess): Promise<void> {
    this.cluster.processes.splice(this.cluster.processes.indexOf(server), 1);
    await this.cluster.add();
  }

  /** As a load balancer would: the client comes back elsewhere, on the channels that it had. */
  private async move({ user, joined, isSignedIn }: Participant): Promise<void> {
    const participant = await this.connectTo(this.random.of(this.cluster.processes), user);
    if (isSignedIn) participant.signIn();
    for (const channel of joined.keys()) participant.join(channel);
  }

  private remove(participant: Participant): void {
    participant.client.disconnect();
    this.participants = this.participants.filter((each) => each !== participant);
  }

  private someone(): Participant | undefined {
    return this.participants.length > 0 ? this.random.of(this.participants) : undefined;
  }

  /** Ends with a report of what happened, and of what processes have said of it. */
  fail(why: string): never {
    const said = this.cluster.processes.map(({ port, output }) => `Process ${port} said last:\n${lastLines(output)}`);
    throw new Error([`After\n${this.log.join('\n')}`, why, ...said].join('\n\n'));
  }

  private note(what: string): void {
    this.log.push(`${timeText()} ${what}`);
  }
}

const changes = { channel_occupied: 1, channel_vacated: -1, member_added: 1, member_removed: -1 };

const usersOf = (participants: readonly Participant[]): string[] =>
  [...new Set(participants.map(({ user }) => user))].toSorted();

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-30).join('\n');
