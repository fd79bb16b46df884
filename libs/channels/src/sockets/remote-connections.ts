import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ThisNode } from 'rookery/common';
import { PresenceService, type Room } from 'rookery/presence';
import { Broker, type BrokerMessage, type Topic } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { requestsOf } from '../protocol/reserved-channels.js';
import { TransitionOrder } from '../storage/transition-order.js';

/** A request that reached another process than the one that owns its connection. */
export type RemoteRequest =
  /** @see HttpTransport.receive */
  | { readonly purpose: 'receive'; readonly mark?: string }
  /** The client aborted the `receive` with this id. */
  | { readonly purpose: 'leave'; readonly id: string }
  /** `texts` is absent when the body was too large. */
  | { readonly purpose: 'send'; readonly texts?: readonly string[]; readonly mark?: string };

/** The answer to a {@link RemoteRequest}. */
export interface RemoteReply {
  /** ASCII only. */
  readonly text: string;
  readonly isLast: boolean;
}

/** Serves a request that another process forwarded. It calls `reply` once, if the request has an answer. */
export type ServeRemote = (request: RemoteRequest, id: string, reply: (reply: RemoteReply) => void) => void;

type Asked = { readonly id: string; readonly from: string; readonly request: RemoteRequest };
type Replied = { readonly id: string; readonly reply: RemoteReply };

/** Longer than a request waits when there is nothing to receive. */
const replyMs = 30_000;

/**
 * A connection over HTTP lives in one process, but its requests may reach any process. The process that opens a
 * connection joins a presence room of the connection's name, and receives forwarded requests on that channel. Replies
 * return on a separate channel.
 */
@Injectable()
export class RemoteConnections implements OnModuleInit {
  private readonly logger = new Logger('Channels');
  private readonly own = new Map<string, ServeRemote>();
  private readonly waiting = new Map<string, (reply: RemoteReply) => void>();
  /** The apps on whose reply channel this process listens. */
  private readonly listening = new Map<string, Promise<void>>();
  /** Called for a connection of this process when a request that another process forwarded may have been lost. */
  onLost: ((name: string) => void) | undefined;

  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly node: ThisNode,
  ) {}

  onModuleInit(): void {
    this.hub.onRequest = (message) => this.heard(message);
    this.hub.onRequestLost = (topic) => this.lost(topic);
  }

  /** Makes this process the owner of a connection. Answers false when another process owns it. */
  async claim(appId: string, name: string, serve: ServeRemote): Promise<boolean> {
    const room = roomOf(appId, name);
    const { outcome } = await this.presence.join(room, this.node.id, { userId: this.node.id }, 1);
    if (outcome === 'full') return false;
    this.own.set(topicOf({ appId, channel: room.name }), serve);
    try {
      await this.broker.subscribe(appId, room.name);
      return true;
    } catch (error) {
      this.release(appId, name);
      throw error;
    }
  }

  release(appId: string, name: string): void {
    const room = roomOf(appId, name);
    this.own.delete(topicOf({ appId, channel: room.name }));
    const left = [
      this.order.insist(
        `${appId} ${room.name}`,
        () => this.presence.leave(room, this.node.id),
        () => undefined,
      ),
      (async () => this.broker.unsubscribe(appId, room.name))(),
    ];
    for (const each of left)
      each.catch((error: unknown) =>
        this.logger.warn(`Connection ${name} of app ${appId} was not released: ${String(error)}`),
      );
  }

  /** Whether another process owns the connection. */
  async isElsewhere(appId: string, name: string): Promise<boolean> {
    const { members } = await this.presence.roster(roomOf(appId, name));
    return members.some(({ userId }) => userId !== this.node.id);
  }

  /**
   * Call it after {@link listen} has settled.
   * @returns the reply of the process that owns the connection; undefined when none comes because that process has died
   */
  async ask(appId: string, name: string, id: string, request: RemoteRequest): Promise<RemoteReply | undefined> {
    const replied = new Promise<RemoteReply | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), replyMs).unref();
      this.waiting.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
    try {
      await this.publish(appId, requestsOf(name), { id, from: this.node.id, request } satisfies Asked);
      return await replied;
    } finally {
      this.waiting.delete(id);
    }
  }

  /** Sends a request that needs no reply. */
  tell(appId: string, name: string, request: RemoteRequest): void {
    const asked: Asked = { id: randomUUID(), from: this.node.id, request };
    this.publish(appId, requestsOf(name), asked).catch((error: unknown) => this.unsaid(name, error));
  }

  /** Starts listening for replies about an app's connections. */
  async listen(appId: string): Promise<void> {
    let listening = this.listening.get(appId);
    if (!listening) {
      listening = (async () => this.broker.subscribe(appId, requestsOf(this.node.id)))();
      this.listening.set(appId, listening);
      listening.catch(() => this.listening.delete(appId));
    }
    await listening;
  }

  private heard(message: BrokerMessage): void {
    if (message.kind !== 'event') return;
    const { appId, channel, text } = message;
    if (channel === requestsOf(this.node.id)) {
      const { id, reply } = JSON.parse(text) as Replied; // Written by `heard` of another process, below.
      return this.waiting.get(id)?.(reply);
    }
    const serve = this.own.get(topicOf(message));
    if (!serve) return;
    const { id, from, request } = JSON.parse(text) as Asked; // Written by `ask` or `tell` of another process.
    serve(request, id, (reply) => {
      this.publish(appId, requestsOf(from), { id, reply } satisfies Replied).catch((error: unknown) =>
        this.unsaid(channel, error),
      );
    });
  }

  private lost(topic: Topic): void {
    if (this.own.has(topicOf(topic))) this.onLost?.(topic.channel.slice(requestsOf('').length));
  }

  private async publish(appId: string, channel: string, content: Asked | Replied): Promise<void> {
    await this.broker.publish({ kind: 'event', appId, channel, text: JSON.stringify(content) });
  }

  // A message from or to the client is lost; the client reconnects when it notices.
  private unsaid(name: string, error: unknown): void {
    this.logger.warn(`A message about connection ${name} did not reach its process: ${String(error)}`);
  }
}

const roomOf = (appId: string, name: string): Room => ({ scope: appId, name: requestsOf(name) });
const topicOf = ({ appId, channel }: Topic): string => `${appId.length} ${appId} ${channel}`;
