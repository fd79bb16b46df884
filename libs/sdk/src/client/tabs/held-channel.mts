import { channelKind } from '../channel-kind.mjs';
import type { JoinedChannel, SharedEvent } from './messages.mjs';
import { StreamTexts } from './stream-texts.mjs';
import type { ClientChannel, PusherClient } from './pusher-client.mjs';

/** What the server keeps for new subscribers of a cache channel. */
const isCached = (channel: string, event: string): boolean =>
  channelKind(channel).isCache && (event === 'pusher:cache_miss' || !/^(client-|pusher:|rookery:)/.test(event));

/** A channel of the host's connection, and the tabs that hold it. */
export class HeldChannel {
  readonly tabs = new Set<string>();
  private readonly channel: ClientChannel;
  private readonly listener: (event: string, data: unknown) => void;
  /** What the server confirmed the subscription with. */
  private confirmed: unknown;
  private refusal: SharedEvent | undefined;
  private last: SharedEvent | undefined;
  private readonly streams = new StreamTexts();

  constructor(
    readonly name: string,
    private readonly pusher: PusherClient,
    hear: (channel: HeldChannel, event: SharedEvent) => void,
  ) {
    this.listener = (event, data) => {
      if (event === 'pusher:subscription_succeeded') [this.confirmed, this.refusal] = [data, undefined];
      if (event === 'pusher:subscription_error') this.refusal = { event, data };
      if (isCached(name, event)) this.last = { event, data };
      this.streams.heard(event, data);
      hear(this, { event, data });
    };
    this.channel = pusher.subscribe(name) as ClientChannel; // pusher-js answers its Channel.
    this.channel.bind_global(this.listener);
  }

  get myID(): string | undefined {
    return this.channel.members?.myID;
  }

  /** The subscription as it is now. @param isLate whether the server has sent the rest before */
  joined(isLate: boolean): JoinedChannel {
    const { members, subscriptionCount } = this.channel;
    return {
      type: 'joined',
      channel: this.name,
      data: members ? undefined : this.confirmed,
      roster: members && { members: members.members, myID: members.myID },
      count: subscriptionCount ?? undefined,
      earlier: isLate ? [...this.streams.events, ...(this.last ? [this.last] : [])] : [],
    };
  }

  /** For a tab that comes later: the subscription, or why it was refused; undefined while it is under way. */
  state(): JoinedChannel | SharedEvent | undefined {
    if (this.channel.subscribed) return this.joined(true);
    if (!this.refusal || this.channel.subscriptionPending) return this.refusal;
    // The endpoint refused it, and is asked again.
    this.pusher.subscribe(this.name);
    return undefined;
  }

  release(): void {
    this.channel.unbind_global(this.listener);
    this.pusher.unsubscribe(this.name);
  }
}
