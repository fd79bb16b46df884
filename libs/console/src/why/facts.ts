import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NodeRpc, OpenConnections } from 'rookery/channels';
import type { Activity } from '../contract.js';
import { eventIn } from '../watch/activity.js';
import { type Step, Trace } from '../watch/trace.js';

/** The event and connections asked about: one socket id, or a user's connections. */
export interface WhyQuestion {
  readonly appId: string;
  readonly event: string;
  readonly socketId?: string;
  readonly userId?: string;
}

/** What a process knows about a current or former connection. */
export interface SocketFacts {
  readonly socketId: string;
  readonly userId: string | null;
  readonly isOpen: boolean;
  /** Whether it is currently on the event's channel. */
  readonly isSubscribed: boolean;
  /** In epoch milliseconds, if it is open. */
  readonly connectedAt: number | null;
  /** The steps about the channel or the connection itself, in order. */
  readonly steps: readonly Step[];
  /** When the event was delivered to this process's subscribers, among the steps; null: it was not. */
  readonly passed: { readonly order: number; readonly at: number } | null;
  /** Since when steps are complete, in epoch milliseconds. */
  readonly since: number;
}

/** A process's answer. */
export interface WhyFacts {
  /** Its position as sent there. */
  readonly event: Activity | null;
  readonly sockets: readonly SocketFacts[];
}

/** The most connections examined per user. */
const mostSockets = 50;

/** In every process: answers what it knows about an event and the connections that may have received it. */
@Injectable()
export class FactsOfWhy implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly trace: Trace,
    private readonly connections: OpenConnections,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<WhyQuestion>('why', (question) => this.answer(question));
  }

  private answer(question: WhyQuestion): WhyFacts {
    const { appId, event, socketId, userId } = question;
    const traced = this.trace.find(appId, event);
    const sockets = socketId !== undefined ? [socketId] : this.socketsOf(appId, userId ?? '');
    return {
      event: traced?.activity ?? null,
      sockets: sockets.slice(0, mostSockets).flatMap((each) => this.factsOf(question, each)),
    };
  }

  private socketsOf(appId: string, userId: string): readonly string[] {
    return [...new Set([...this.connections.ofUser(appId, userId), ...this.trace.socketsOf(appId, userId)])];
  }

  private factsOf({ appId, event }: WhyQuestion, socketId: string): SocketFacts[] {
    const open = this.connections.find(appId, socketId);
    const channel = eventIn(event)?.channel;
    const all = this.trace.stepsOf(appId, socketId);
    // A connection unknown here belongs to another process.
    if (!open && all.length === 0) return [];
    const steps = all.filter(({ activity }) => activity.channel === undefined || activity.channel === channel);
    return [
      {
        socketId,
        userId: open?.userId ?? all.find(({ activity }) => activity.userId !== undefined)?.activity.userId ?? null,
        isOpen: open !== undefined,
        isSubscribed: channel !== undefined && (open?.channels.includes(channel) ?? false),
        connectedAt: open?.connectedAt ?? null,
        steps,
        passed: this.trace.find(appId, event)?.passed ?? null,
        since: this.trace.since,
      },
    ];
  }
}
