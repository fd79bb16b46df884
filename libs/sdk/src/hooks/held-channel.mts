import type { ChannelView } from './channel-view.mjs';
import { FollowedState } from './followed-state.mjs';
import type { PageChannel, PusherClient } from './page-client.mjs';
import type { Member, Roster } from './roster.mjs';

/** A channel that at least one component uses, and what they show of it: values that change only with the channel. */
export class HeldChannel {
  /** How many use it. */
  holders = 0;
  readonly listeners = new Set<() => void>();
  readonly channel: PageChannel;
  readonly state: FollowedState;
  view!: ChannelView;
  /** Undefined when it changed since it was last read. */
  private knownRoster: Roster<unknown> | undefined;
  /** Whether the page itself had subscribed before: then the page unsubscribes, too. */
  private readonly isOfPage: boolean;
  private readonly trigger = (event: string, data: unknown): boolean => this.channel.trigger(event, data);

  constructor(
    private readonly client: PusherClient,
    readonly name: string,
  ) {
    const before = client.channel(name);
    this.isOfPage = before !== undefined && !before.subscriptionCancelled;
    this.channel = client.subscribe(name);
    this.state = new FollowedState(this.channel, () => this.notify());
    for (const [event, callback] of this.bindings) this.channel.bind(event, callback);
    client.connection.bind('state_change', this.changed);
    this.show(undefined);
  }

  get roster(): Roster<unknown> | undefined {
    const { members: all } = this.channel;
    if (!all || this.knownRoster) return this.knownRoster;
    const members: Member<unknown>[] = [];
    all.each(({ id, info }) => members.push({ id, info }));
    return (this.knownRoster = { members, me: members.find(({ id }) => id === all.myID) });
  }

  /** Ends what the constructor began. */
  end(): void {
    for (const [event, callback] of this.bindings) this.channel.unbind(event, callback);
    this.client.connection.unbind('state_change', this.changed);
    this.state.end();
    if (!this.isOfPage) this.client.unsubscribe(this.name);
  }

  private readonly changed = (): void => {
    this.show(this.view.error);
    this.notify();
  };

  private readonly membersChanged = (): void => {
    this.knownRoster = undefined;
    this.notify();
  };

  private readonly answered = (error: unknown): void => {
    this.show(error);
    this.membersChanged();
  };

  private readonly bindings: readonly (readonly [event: string, callback: (data: unknown) => void])[] = [
    ['pusher:subscription_succeeded', () => this.answered(undefined)],
    ['pusher:subscription_error', this.answered],
    ['pusher:member_added', this.membersChanged],
    ['pusher:member_removed', this.membersChanged],
  ];

  /** Keeps a view that still holds, so that components are not rendered for nothing. */
  private show(error: unknown): void {
    const { channel, client, trigger } = this;
    // pusher-js tells of a lost connection before it takes its channels off it.
    const isSubscribed = channel.subscribed && client.connection.state === 'connected';
    const status = isSubscribed ? 'subscribed' : error === undefined ? 'subscribing' : 'refused';
    if (this.view?.status !== status || this.view.error !== error) this.view = { status, error, trigger };
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}
