import { subscriptionText, tokenFor } from 'rookery/internal/channels';
import type { World } from '../../libs/testing/src/simulation/world.js';
import { app, hasMembers, maxNewChannels } from './cluster-options.js';
import { HostileConnection, type Leaving } from './hostile/hostile-connection.js';
import type { ServingNode } from './node.js';

/** What a rude client does once it is connected. */
export type Rudeness =
  /** Joins and leaves a channel of others; a presence channel as a member that may be another client's user, too. */
  | { readonly does: 'flood'; readonly channel: string; readonly user: string; readonly times: number }
  /** Enters names that no other client knows. */
  | { readonly does: 'scan'; readonly times: number }
  /** Sends messages that are refused, until it is closed. */
  | { readonly does: 'babble' };

/** How it is: it leaves after a while, by a close frame, without one, or so that its node does not hear of it. */
export type Rude = Rudeness & {
  /** Whether it is still on the last channel when it leaves, or on all channels of a scan. */
  readonly isStaying: boolean;
  readonly leaves: Leaving;
  readonly afterMs: number;
};

/** More than a connection may send at once. */
const babbleTimes = 400;
const babbleEveryMs = 1000;

const refused = [
  '{',
  'null',
  '{"event":"pusher:nonsense","data":{}}',
  '{"event":"pusher:subscribe","data":{"channel":"no such name"}}',
  '{"event":"pusher:subscribe","data":{"channel":"private-kept-c","auth":"x:y"}}',
  '{"event":"pusher:unsubscribe","data":{"channel":"kept-a"}}',
  '{"event":"client-said","channel":"presence-room","data":"x"}',
];

/** A client that knows the app's key, takes what it can, and believes nothing that it is sent. It connects once. */
export class RudeClient {
  private readonly connection: HostileConnection;
  private connectedAt = 0;

  constructor(
    private readonly world: World,
    node: ServingNode,
    private readonly number: number,
    private readonly rude: Rude,
  ) {
    this.connection = new HostileConnection(world, node, `rude client ${number}`, {}, (_, socketId, sentAt) =>
      this.act(socketId, sentAt),
    );
  }

  /** What it was allowed that it must not be; undefined if it was kept within its limits. */
  get wrong(): string | undefined {
    const { rude, number, connectedAt } = this;
    const { isOpen, confirmed, confirmedAt } = this.connection;
    if (rude.does === 'babble' && isOpen) return `rude client ${number} may go on with messages that are refused`;
    const most = maxNewChannels(Math.max(confirmedAt - connectedAt, 0));
    if (rude.does === 'scan' && confirmed > most)
      return `rude client ${number} has opened ${confirmed} channels instead of ${most}`;
    return undefined;
  }

  private act(socketId: string, connectedAt: number): void {
    const { rude, number, world, connection } = this;
    world.note(`begins to ${rude.does}`);
    this.connectedAt = connectedAt;
    if (rude.does === 'babble') return this.babble();
    const channels = Array.from({ length: rude.times }, (_, n) =>
      rude.does === 'flood' ? rude.channel : `scan-${number}-${n}-`.padEnd(200, 'x'),
    );
    const user = rude.does === 'flood' ? rude.user : '';
    for (const [n, channel] of channels.entries()) {
      const isLeft = !rude.isStaying || (rude.does === 'flood' && n < rude.times - 1);
      connection.send('pusher:subscribe', subscribing(socketId, channel, user));
      if (isLeft) connection.send('pusher:unsubscribe', { channel });
    }
    world.after(rude.afterMs, () => connection.leave(rude.leaves), connection.party);
  }

  private babble(): void {
    const { connection, world } = this;
    if (connection.isOver) return;
    for (let n = 0; n < babbleTimes; n++) connection.sendText(refused[n % refused.length]!);
    world.after(babbleEveryMs, () => this.babble(), connection.party);
  }
}

function subscribing(socketId: string, channel: string, user: string): object {
  const channelData = hasMembers(channel) ? JSON.stringify({ user_id: user }) : undefined;
  const isOpen = !channel.startsWith('private-') && channelData === undefined;
  const auth = isOpen ? undefined : tokenFor(app, subscriptionText(socketId, channel, channelData));
  return { channel, auth, channel_data: channelData };
}
