import { channelKind } from '../channel-kind.mjs';
import { Emitter } from './emitter.mjs';
import type { ChannelEvent, JoinedChannel } from './messages.mjs';
import { type SharedMember, SharedMembers } from './shared-members.mjs';
import type { SharedPusher } from './shared-pusher.mjs';

/** A channel of a tab, as in pusher-js. */
export class SharedChannel extends Emitter {
  subscribed = false;
  subscriptionPending = true;
  subscriptionCount: number | null = null;
  /** Of presence channels. */
  readonly members: SharedMembers | undefined;
  /** For internal use: numbers the calls of `subscribe` that wait for an answer. */
  attempt = 0;
  /** For internal use: whether it was subscribed at any time. Before, its events are those of other tabs. */
  isConfirmed = false;

  constructor(
    readonly name: string,
    readonly pusher: SharedPusher,
  ) {
    super();
    if (channelKind(name).isPresence) this.members = new SharedMembers();
  }

  /**
   * Sends a client event to all others on the channel, tabs of this browser among them.
   * @returns whether it was sent
   */
  trigger(event: string, data: unknown): boolean {
    if (!event.startsWith('client-')) throw new Error(`Event '${event}' does not start with 'client-'`);
    if (channelKind(this.name).isEncrypted)
      throw new Error('Client events are not currently supported for encrypted channels');
    return this.pusher.send_event(event, data, this.name);
  }

  /** For internal use, like the methods below: the connection is lost. */
  disconnect(): void {
    this.subscribed = false;
    this.members?.reset();
  }

  joined({ data, roster, count, earlier }: JoinedChannel): void {
    this.subscribed = this.isConfirmed = true;
    this.subscriptionPending = false;
    this.members?.reset(roster);
    this.emit('pusher:subscription_succeeded', this.members ?? data);
    if (count !== undefined) this.counted({ subscription_count: count });
    for (const { event, data: before } of earlier) this.emit(event, before, {});
  }

  heard({ event, data, userId, on }: ChannelEvent): void {
    if (event === 'pusher:subscription_error') this.subscriptionPending = false;
    else if (!this.isConfirmed) return;
    if (event === 'pusher:subscription_count') return this.counted(data as { subscription_count: number });
    // Members come as pusher-js emits them.
    if (/^pusher:member_(added|removed)$/.test(event)) this.members?.heard(event, data as SharedMember);
    const metadata = userId === undefined ? {} : { user_id: userId };
    this.emit(event, data, on === 'both' ? metadata : undefined);
  }

  private counted(data: { readonly subscription_count: number }): void {
    this.subscriptionCount = data.subscription_count;
    this.emit('pusher:subscription_count', data);
  }
}

/** A presence channel of a tab, as in pusher-js. */
export type SharedPresenceChannel = SharedChannel & { readonly members: SharedMembers };
