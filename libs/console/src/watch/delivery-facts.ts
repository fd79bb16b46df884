import { Injectable } from '@nestjs/common';
import { OpenConnections } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import type { Activity } from '../contract/index.js';
import { eventIn } from './activity.js';
import { Trace } from './trace.js';
import { type Step, TraceAnswers, type TracedEvent } from './trace-answers.js';

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
  /** Since when its process has all steps, in epoch milliseconds. */
  readonly since: number;
  /** When the event was delivered to this process's subscribers, among the steps; null: it was not. */
  readonly passed: { readonly order: number; readonly at: number } | null;
}

/** A process's answer. */
export interface DeliveryFacts {
  readonly node: string;
  /** The event as sent there. */
  readonly event: Activity | null;
  readonly sockets: readonly SocketFacts[];
  /** Other apps that the socket or the user is connected to, or was. */
  readonly elsewhere: readonly string[];
  readonly connectedElsewhere: readonly string[];
  /** Since when the steps of connections are complete, in epoch milliseconds. */
  readonly since: number;
  readonly eventsSince: number;
  /** 0: never. */
  readonly skippedAt: number;
}

/** The most connections examined per user: the latest ones. */
export const maxSockets = 50;

/** What this process knows about an event and the connections that may have received it. */
@Injectable()
export class DeliveryFactsSource {
  constructor(
    private readonly trace: Trace,
    private readonly answers: TraceAnswers,
    private readonly connections: OpenConnections,
    private readonly node: ThisNode,
  ) {}

  answer(question: WhyQuestion): DeliveryFacts {
    const { appId, event, socketId, userId } = question;
    const traced = this.answers.find(appId, event);
    const sockets = socketId !== undefined ? [socketId] : this.socketsOf(appId, userId ?? '');
    const { since, eventsSince, skippedAt } = this.trace;
    return {
      node: this.node.id,
      event: traced?.activity ?? null,
      sockets: sockets.slice(-maxSockets).flatMap((each) => this.factsOf(question, each, traced)),
      elsewhere: this.answers.appsOf(question).filter((each) => each !== appId),
      connectedElsewhere: this.connections.appsOf(question).filter((each) => each !== appId),
      since,
      eventsSince,
      skippedAt,
    };
  }

  /** The earliest first, and those that are open last. */
  private socketsOf(appId: string, userId: string): readonly string[] {
    const open = this.connections.ofUser(appId, userId).map(({ socketId }) => socketId);
    const former = this.answers.socketsOf(appId, userId).filter((each) => !open.includes(each));
    return [...former, ...open];
  }

  private factsOf({ appId, event }: WhyQuestion, socketId: string, traced: TracedEvent | undefined): SocketFacts[] {
    const open = this.connections.find(appId, socketId);
    const channel = eventIn(event)?.channel;
    const all = this.answers.stepsOf(appId, socketId);
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
        since: this.trace.since,
        passed: traced?.passed ?? null,
      },
    ];
  }
}
