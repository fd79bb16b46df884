import { subscriptionText, tokenFor } from 'rookery/internal/channels';
import { Party } from '../../libs/testing/src/simulation/party.js';
import { SimulatedConnection } from '../../libs/testing/src/simulation/simulated-connection.js';
import type { ToClient } from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';
import { app, hasMembers, maxNewChannels } from './cluster-options.js';
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
  readonly leaves: 'closing' | 'ending' | 'silent';
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
  readonly party: Party;
  private connection: SimulatedConnection | undefined;
  private connectedAt = 0;
  private isOver = false;
  private confirmed = 0;
  private confirmedAt = 0;

  constructor(
    private readonly world: World,
    private readonly node: ServingNode,
    private readonly number: number,
    private readonly rude: Rude,
  ) {
    this.party = new Party(`rude client ${number}`);
  }

  connect(): void {
    const { world, node, party } = this;
    const to = { party: node.party, accept: (down: Wire<ToClient>) => node.accept(undefined, down) };
    this.connection = new SimulatedConnection(world, party.name, this, to);
  }

  /** What it was allowed that it must not be; undefined if it was kept within its limits. */
  get wrong(): string | undefined {
    const { rude, number, confirmed, connectedAt, confirmedAt } = this;
    if (rude.does === 'babble' && !this.isOver && connectedAt > 0)
      return `rude client ${number} may go on with messages that are refused`;
    const most = maxNewChannels(confirmedAt - connectedAt);
    if (rude.does === 'scan' && confirmed > most)
      return `rude client ${number} has opened ${confirmed} channels instead of ${most}`;
    return undefined;
  }

  texts(texts: readonly string[], sentAt: number): void {
    for (const text of texts) if (!this.isOver) this.text(text, sentAt);
  }

  over(code: number | undefined): void {
    this.ends(code === undefined ? 'has lost its connection' : 'is gone');
  }

  private text(text: string, sentAt: number): void {
    const { event, data } = JSON.parse(text) as { readonly event: string; readonly data: string };
    if (event === 'pusher:ping') return this.send(['{"event":"pusher:pong","data":{}}']);
    if (event === 'pusher:connection_established')
      return this.act((JSON.parse(data) as { socket_id: string }).socket_id, sentAt);
    if (event !== 'pusher_internal:subscription_succeeded') return;
    this.confirmed += 1;
    this.confirmedAt = sentAt;
  }

  private act(socketId: string, connectedAt: number): void {
    const { rude, number, world } = this;
    world.note(`begins to ${rude.does}`);
    this.connectedAt = this.confirmedAt = connectedAt;
    if (rude.does === 'babble') return this.babble();
    const channels = Array.from({ length: rude.times }, (_, n) =>
      rude.does === 'flood' ? rude.channel : `scan-${number}-${n}-`.padEnd(200, 'x'),
    );
    const user = rude.does === 'flood' ? rude.user : '';
    this.send(
      channels.flatMap((channel, n) => {
        const isLeft = !rude.isStaying || (rude.does === 'flood' && n < rude.times - 1);
        return [subscribing(socketId, channel, user), ...(isLeft ? [unsubscribing(channel)] : [])];
      }),
    );
    world.after(rude.afterMs, () => this.leave(), this.party);
  }

  private babble(): void {
    if (this.isOver) return;
    this.send(Array.from({ length: babbleTimes }, (_, n) => refused[n % refused.length]!));
    this.world.after(babbleEveryMs, () => this.babble(), this.party);
  }

  private leave(): void {
    if (this.isOver) return;
    const { rude, connection } = this;
    if (rude.leaves === 'silent') connection!.up.cut();
    else connection!.up.send(rude.leaves === 'closing' ? { kind: 'close', code: 1000 } : { kind: 'end' });
    connection!.forget();
    this.ends('leaves');
  }

  private ends(how: string): void {
    this.world.note(how);
    this.isOver = true;
  }

  private send(texts: readonly string[]): void {
    for (const text of texts) this.connection?.sendText(text);
  }
}

const unsubscribing = (channel: string): string => JSON.stringify({ event: 'pusher:unsubscribe', data: { channel } });

function subscribing(socketId: string, channel: string, user: string): string {
  const channelData = hasMembers(channel) ? JSON.stringify({ user_id: user }) : undefined;
  const isOpen = !channel.startsWith('private-') && channelData === undefined;
  const auth = isOpen ? undefined : tokenFor(app, subscriptionText(socketId, channel, channelData));
  return JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth, channel_data: channelData } });
}
