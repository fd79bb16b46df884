import { beforeFrames } from '../frames.mjs';
import { newSessionId } from '../new-session-id.mjs';
import { withoutDoubles } from '../without-doubles.mjs';
import { HeldChannel } from './held-channel.mjs';
import type { ChannelEvent, HostMessage, HostStart, SharedEvent, TabMessage } from './messages.mjs';
import { openBus, type TabBus, tabLock, type TabLocks } from './platform.mjs';
import type { PusherClass, PusherClient } from './pusher-client.mjs';
import { TokenRequests } from './token-requests.mjs';

type Wants = Extract<TabMessage, { readonly type: 'wants' }>;

/** What the server sends with an event and pusher-js does not pass on. */
interface ServerMessage {
  readonly event: string;
  readonly channel?: string;
  readonly user_id?: string;
  readonly position?: string;
  readonly replayed?: boolean;
}

/** Omits a message's host, which is the same in each. */
type Content<Message> = Message extends unknown ? Omit<Message, 'host'> : never;

/** The one connection of a group of tabs. It runs in a SharedWorker, or in the tab that leads. */
export class TabHost {
  private readonly id = crypto.randomUUID();
  private readonly session: string;
  private readonly bus: TabBus<HostMessage, TabMessage>;
  private readonly pusher: PusherClient;
  private readonly tokens: TokenRequests;
  /** What each tab wants. */
  private readonly tabs = new Map<string, Wants>();
  private readonly channels = new Map<string, HeldChannel>();
  private readonly online = new Set<string>();
  /** The message that pusher-js is reading. */
  private frame: ServerMessage | undefined;
  private isSignInRefused = false;
  private isEnded = false;

  constructor(
    Pusher: PusherClass,
    private readonly start: HostStart,
    private readonly locks: TabLocks,
  ) {
    this.session = start.session ?? newSessionId();
    this.tokens = new TokenRequests(
      (channel) => Array.from(this.tabs.values()).find((each) => wantsToken(each, channel))?.tab,
      (to, id, socketId, channelName) => this.send({ type: 'ask', to, id, socketId, channelName }),
    );
    // The first tab's options, which have the types of its Pusher.
    this.pusher = withoutDoubles(new Pusher(start.key, this.options() as never));
    this.bus = openBus(start.group);
    this.bus.addEventListener('message', ({ data }) => this.receive(data));
    this.listen();
    this.greet();
  }

  /** Another tab has taken over. */
  end(): void {
    this.isEnded = true;
    this.pusher.disconnect();
    this.bus.close();
  }

  private options(): object {
    const { asksChannels, asksUser, ...options } = this.start.options;
    const wsPath = `${options.wsPath ?? ''}/session/${this.session}`;
    const asking = { customHandler: this.tokens.handler };
    return {
      ...options,
      wsPath,
      httpPath: `${wsPath}/pusher`,
      ...(asksChannels && { channelAuthorization: asking }),
      ...(asksUser && { userAuthentication: asking }),
    };
  }

  private receive(message: TabMessage): void {
    if (message.type === 'wants') this.wanted(message);
    else if (message.type === 'answer') this.tokens.answered(message.id, message.error, message.token);
    else if (message.type === 'send') this.sendFrom(message);
  }

  private wanted(wants: Wants): void {
    const { tab, channels, signsIn } = wants;
    const before = this.tabs.get(tab);
    this.tabs.set(tab, wants);
    if (!before) {
      // Granted when the tab has closed, or crashed.
      void this.locks.request(tabLock(this.start.group, tab), {}, () => this.closed(tab));
      this.pusher.connect();
    }
    this.greet(tab);
    if (signsIn && !before?.signsIn) this.signIn(tab);
    for (const [name, attempt] of Object.entries(channels))
      if (before?.channels[name] !== attempt) this.hold(name, tab);
    for (const name of Object.keys(before?.channels ?? {})) if (!(name in channels)) this.release(name, tab);
  }

  private closed(tab: string): void {
    const { channels = {} } = this.tabs.get(tab) ?? {};
    this.tabs.delete(tab);
    for (const name of Object.keys(channels)) this.release(name, tab);
    this.tokens.closed(tab);
    if (this.tabs.size === 0) this.pusher.disconnect();
  }

  private greet(to?: string): void {
    const { state, socket_id: socketId } = this.pusher.connection;
    this.send({ type: 'host', to, session: this.session, state, socketId });
  }

  private hold(name: string, tab: string): void {
    const held = this.channels.get(name) ?? new HeldChannel(name, this.pusher, (...heard) => this.heard(...heard));
    this.channels.set(name, held);
    held.tabs.add(tab);
    const state = held.state();
    if (!state) return;
    if ('type' in state) this.send({ ...state, to: tab });
    else this.send({ type: 'event', channel: name, ...state, on: 'channel', to: tab });
  }

  private release(name: string, tab: string): void {
    const held = this.channels.get(name);
    if (!held?.tabs.delete(tab) || held.tabs.size > 0) return;
    this.channels.delete(name);
    held.release();
  }

  private signIn(tab: string): void {
    const { user } = this.pusher;
    if (user.user_data) {
      this.send({ type: 'user', to: tab, user: user.user_data });
      const data = { name: 'online', user_ids: [...this.online] };
      if (this.online.size > 0) this.send({ type: 'watchlist', to: tab, event: 'online', data });
    }
    this.pusher.signin();
    // pusher-js signs in again only with a new connection.
    if (!this.isSignInRefused) return;
    this.isSignInRefused = false;
    this.pusher.disconnect();
    this.pusher.connect();
  }

  /** The server sends a client event to other connections: the other tabs get it from here. */
  private sendFrom({ tab, event, data, channel }: Extract<TabMessage, { readonly type: 'send' }>): void {
    const isSent = this.pusher.send_event(event, data, channel);
    if (!isSent || channel === undefined || !event.startsWith('client-')) return;
    const userId = this.channels.get(channel)?.myID;
    this.send({ type: 'event', channel, event, data, userId, on: 'both', except: tab });
  }

  private listen(): void {
    const { connection, user } = this.pusher;
    beforeFrames(this.pusher, ({ data }) => (this.frame = messageOf(data)));
    // Called after all that pusher-js itself does with a message.
    connection.bind('message', ({ event, data, channel }: ServerMessage & SharedEvent) => {
      const isUnheard = this.frame !== undefined && !event.startsWith('pusher_internal:');
      if (isUnheard) this.send({ type: 'event', channel, event, data, on: 'client' });
      if (event === 'pusher:signin_success') {
        this.isSignInRefused = false;
        this.send({ type: 'user', user: user.user_data });
      }
      this.frame = undefined;
    });
    connection.bind_global((event, data: unknown) => {
      if (event === 'message') return;
      if (event === 'disconnected' || event === 'connecting') this.online.clear();
      const { socket_id: socketId } = connection;
      this.send({ type: 'connection', event, data: cloneable(data), socketId });
    });
    user.bind_global((event, data: unknown) => {
      this.isSignInRefused ||= event === 'pusher:signin_error';
      this.send({ type: 'user-event', event, data });
    });
    user.watchlist.bind_global((event, data: { readonly user_ids: readonly string[] }) => {
      for (const each of data.user_ids) this.online[event === 'online' ? 'add' : 'delete'](each);
      this.send({ type: 'watchlist', event, data });
    });
  }

  private heard(held: HeldChannel, { event, data }: SharedEvent): void {
    if (event === 'pusher:subscription_succeeded') return this.send(held.joined(false));
    const { frame } = this;
    const isOfFrame = frame?.event === event && frame.channel === held.name;
    const facts: Partial<ChannelEvent> = isOfFrame
      ? { userId: frame.user_id, position: frame.position, replayed: frame.replayed }
      : {};
    if (isOfFrame) this.frame = undefined;
    this.send({ type: 'event', channel: held.name, event, data, on: isOfFrame ? 'both' : 'channel', ...facts });
  }

  private send(message: Content<HostMessage>): void {
    if (!this.isEnded) this.bus.postMessage({ ...message, host: this.id });
  }
}

const wantsToken = ({ channels, signsIn }: Wants, channel: string | undefined): boolean =>
  channel === undefined ? signsIn : channel in channels;

function messageOf(data: unknown): ServerMessage | undefined {
  try {
    return JSON.parse(data as string) as ServerMessage;
  } catch {
    return undefined; // pusher-js reports it.
  }
}

/** Errors of sockets have objects of the browser in them. */
const cloneable = (data: unknown): unknown => (data === undefined ? data : JSON.parse(JSON.stringify(data)));
