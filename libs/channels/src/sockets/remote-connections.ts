import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ThisNode } from 'rookery/common';
import { PresenceService, type Room } from 'rookery/presence';
import { Broker, type BrokerMessage, type Topic } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { requestsOf } from '../protocol/reserved-channels.js';
import { TransitionOrder } from '../storage/transition-order.js';

/** What a request is for that has reached another process than the one that has its connection. */
export type RemoteRequest =
  /** @see HttpTransport.receive */
  | { readonly purpose: 'receive'; readonly mark?: string }
  /** The client has aborted the `receive` with this id. */
  | { readonly purpose: 'leave'; readonly id: string }
  /** Without texts, they were too many. */
  | { readonly purpose: 'send'; readonly texts?: readonly string[]; readonly mark?: string };

/** What comes of it. */
export interface RemoteReply {
  /** In ASCII. */
  readonly text: string;
  readonly isLast: boolean;
}

/** Serves a request that was made elsewhere; `reply` is called once, if the request has an answer. */
export type ServeRemote = (request: RemoteRequest, id: string, reply: (reply: RemoteReply) => void) => void;

type Asked = { readonly id: string; readonly from: string; readonly request: RemoteRequest };
type Replied = { readonly id: string; readonly reply: RemoteReply };

/** Longer than a request waits where nothing comes. */
const replyMs = 30_000;

/**
 * Connections over HTTP are in one process, and their requests reach any: whoever opens one is present for it in a room of
 * its name, and hears on its channel what the others ask. They are answered on a channel of their own.
 */
@Injectable()
export class RemoteConnections implements OnModuleInit {
  private readonly logger = new Logger('Channels');
  private readonly own = new Map<string, ServeRemote>();
  private readonly waiting = new Map<string, (reply: RemoteReply) => void>();
  /** The apps on whose channel this process hears replies. */
  private readonly listening = new Map<string, Promise<void>>();
  /** Told of each connection of this process to which something may not have come that was asked elsewhere. */
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

  /** Makes a connection this process's own; false when another process has it. */
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
      each.catch((error: unknown) => this.logger.warn(`Connection ${name} of app ${appId} lingers: ${String(error)}`));
  }

  /** Whether another process has it. */
  async isElsewhere(appId: string, name: string): Promise<boolean> {
    const { members } = await this.presence.roster(roomOf(appId, name));
    return members.some(({ userId }) => userId !== this.node.id);
  }

  /**
   * To be called after {@link listen} has settled.
   * @returns what the process that has the connection says; undefined when it says nothing: it has died
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

  /** Asks for nothing in return. */
  tell(appId: string, name: string, request: RemoteRequest): void {
    const asked: Asked = { id: randomUUID(), from: this.node.id, request };
    this.publish(appId, requestsOf(name), asked).catch((error: unknown) => this.unsaid(name, error));
  }

  /** From then on replies about an app's connections are heard. */
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
      const { id, reply } = JSON.parse(text) as Replied; // By `heard` of another process, below.
      return this.waiting.get(id)?.(reply);
    }
    const serve = this.own.get(topicOf(message));
    if (!serve) return;
    const { id, from, request } = JSON.parse(text) as Asked; // By `ask` or `tell` of another process.
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

  // The client hears nothing, or is not heard; it comes back when it notices.
  private unsaid(name: string, error: unknown): void {
    this.logger.warn(`Nothing was said to the process that has connection ${name}, or by it: ${String(error)}`);
  }
}

const roomOf = (appId: string, name: string): Room => ({ scope: appId, name: requestsOf(name) });
const topicOf = ({ appId, channel }: Topic): string => `${appId.length} ${appId} ${channel}`;
