import { Doubles } from '../doubles.mjs';
import { Emitter } from './emitter.mjs';
import { keepWorker, lead, takeOver } from './hosting.mjs';
import { watchLeader } from './leader-watch.mjs';
import type { ChannelEvent, HostMessage, HostStart } from './messages.mjs';
import { handlerOf, sharedOptions, type TabOptions } from './options.mjs';
import type { TabLocks, TabWorker } from './platform.mjs';
import type { PusherClass } from './pusher-client.mjs';
import { SharedChannel, type SharedPresenceChannel } from './shared-channel.mjs';
import { SharedConnection, SharedUser } from './shared-connection.mjs';
import { TabLink } from './tab-link.mjs';

/** Where the connection of all tabs is: in a worker if there is one, otherwise in one of the tabs. */
export interface TabsOptions {
  /** Creates the SharedWorker whose script calls `serveTabs`; not called in browsers without one. */
  readonly worker?: (() => TabWorker) | undefined;
  /** The class of pusher-js, for browsers without a SharedWorker. */
  readonly Pusher?: PusherClass | undefined;
  /** Tabs share a connection if they have the same name, such as the id of their user. @default '' */
  readonly name?: string | undefined;
}

/** What a page uses of pusher-js, on a connection that all of its tabs share. */
export class SharedPusher extends Emitter {
  readonly connection = new SharedConnection();
  readonly user = new SharedUser(() => this.changed());
  readonly channels: { readonly channels: Record<string, SharedChannel> } = { channels: {} };
  private readonly shared: ReturnType<typeof sharedOptions>;
  private readonly doubles = new Doubles();
  private link: TabLink | undefined;
  private isJoined = false;
  private attempts = 0;
  private isChanging = false;
  private host: string | undefined;
  private session: string | undefined;
  private greeted = (): void => undefined;

  constructor(
    readonly key: string,
    readonly options: TabOptions,
    private readonly tabs: TabsOptions,
    /** Undefined where pages are rendered: then it connects to nothing. */
    private readonly locks: TabLocks | undefined,
  ) {
    super();
    this.shared = sharedOptions(options);
    this.connect();
  }

  subscribe(channel: `presence-${string}`): SharedPresenceChannel;
  subscribe(channel: string): SharedChannel;
  subscribe(name: string): SharedChannel {
    const channel = (this.channels.channels[name] ??= new SharedChannel(name, this));
    if (!channel.subscribed) channel.attempt = ++this.attempts;
    this.changed();
    return channel;
  }

  unsubscribe(name: string): void {
    delete this.channels.channels[name];
    this.changed();
  }

  channel(name: string): SharedChannel | undefined {
    return this.channels.channels[name];
  }

  allChannels(): SharedChannel[] {
    return Object.values(this.channels.channels);
  }

  /** @returns whether it was sent */
  send_event(event: string, data: unknown, channel?: string): boolean {
    if (!this.link || this.connection.state !== 'connected') return false;
    this.link.send({ type: 'send', tab: this.link.tab, event, data, channel });
    return true;
  }

  signin(): void {
    this.user.signin();
  }

  connect(): void {
    const { locks } = this;
    if (this.link || !locks) return;
    const { worker, Pusher, name = '' } = this.tabs;
    const link = new TabLink(
      `rookery:${this.key}:${name}`,
      locks,
      (message) => this.receive(message),
      () => {
        this.isJoined = true;
        this.changed();
        const greeted = (): Promise<void> => {
          this.changed();
          return new Promise((resolve) => (this.greeted = resolve));
        };
        const leads = (): void => {
          if (!Pusher) return this.becomes('failed');
          void lead(Pusher, start, locks, link.signal);
          watchLeader(greeted, () => void takeOver(Pusher, start, locks), link.signal);
        };
        if (!worker || !('SharedWorker' in globalThis)) return leads();
        void keepWorker(worker, start, locks, { signal: link.signal, greeted, failed: leads });
      },
    );
    const start = (): HostStart => ({
      group: link.group,
      key: this.key,
      options: this.shared,
      session: this.session,
    });
    this.link = link;
    this.becomes('connecting');
  }

  /** Ends this tab's part; the connection ends with the last one. */
  disconnect(): void {
    this.link?.close();
    this.link = this.host = undefined;
    this.isJoined = false;
    this.becomes('disconnected');
  }

  private changed(): void {
    if (this.isChanging) return;
    this.isChanging = true;
    queueMicrotask(() => {
      this.isChanging = false;
      if (!this.link || !this.isJoined) return;
      const channels = Object.fromEntries(this.allChannels().map(({ name, attempt }) => [name, attempt]));
      this.link.send({ type: 'wants', tab: this.link.tab, channels, signsIn: this.user.signin_requested });
    });
  }

  private becomes(state: string, socketId?: string, data?: unknown): void {
    if (this.connection.state === state) return;
    if (state === 'connecting' || state === 'disconnected') {
      for (const channel of this.allChannels()) channel.disconnect();
      this.user.user_data = null;
    }
    this.connection.becomes(state, socketId, data);
  }

  private receive(message: HostMessage): void {
    if (message.to !== undefined && message.to !== this.link?.tab) return;
    if (message.type === 'host') return this.hosted(message);
    if (message.type === 'event') return this.heard(message);
    // A host that has ended.
    if (message.host !== this.host) return;
    switch (message.type) {
      case 'connection': {
        const { event, data, socketId } = message;
        if (event === 'state_change') this.becomes((data as { readonly current: string }).current, socketId);
        else if (event !== this.connection.state) this.connection.emit(event, data);
        return;
      }
      case 'joined': {
        const channel = this.channel(message.channel);
        if (!(message.to && channel?.subscribed)) channel?.joined(message);
        return;
      }
      case 'user':
        if (this.user.signin_requested) this.user.user_data = message.user as SharedUser['user_data']; // pusher-js has checked it.
        return;
      case 'user-event':
        if (this.user.signin_requested) this.user.emit(message.event, message.data);
        return;
      case 'watchlist':
        if (this.user.signin_requested) this.user.watchlist.emit(message.event, message.data);
        return;
      case 'ask':
        return this.answer(message);
      default:
        return message satisfies never;
    }
  }

  private hosted({ host, session, state, socketId, to }: Extract<HostMessage, { readonly type: 'host' }>): void {
    const isNew = host !== this.host;
    this.host = host;
    this.session = session;
    this.greeted();
    if (isNew) this.becomes('connecting');
    if (to) this.becomes(state, socketId);
    else this.changed();
  }

  private heard(message: ChannelEvent & HostMessage): void {
    const { channel: name = '', event, data, on, except, host } = message;
    // The last events of a host that has ended may come after those that the next one was sent again.
    const replayed = message.replayed || host !== this.host;
    if (this.doubles.isDouble({ channel: name, event, position: message.position, replayed })) return;
    if (except !== undefined && except === this.link?.tab) return;
    const channel = this.channel(name);
    if (on !== 'client') channel?.heard(message);
    const isOfUser = name.startsWith('#server-to-user-') && this.user.signin_requested;
    if (on !== 'channel' && (!name || channel?.isConfirmed || isOfUser)) this.emit(event, data);
  }

  private answer({ id, socketId, channelName }: Extract<HostMessage, { readonly type: 'ask' }>): void {
    const { channelAuthorization, userAuthentication } = this.options;
    const handler = handlerOf(channelName === undefined ? userAuthentication : channelAuthorization);
    const answered = (error: unknown, token: unknown): void =>
      this.link?.send({ type: 'answer', id, error: error ? textOf(error) : undefined, token });
    if (handler) handler({ socketId, ...(channelName !== undefined && { channelName }) }, answered);
    else answered('This tab has no customHandler', null);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
