import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Awaitable, ThisNode } from 'rookery/common';
import { Broker, type BrokerMessage } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { allNodes, nodeOf } from '../protocol/reserved-channels.js';

/** A message between processes, sent as JSON. */
type Said =
  | {
      readonly to: 'all';
      readonly from: string;
      readonly subject: string;
      readonly id?: string;
      readonly content: unknown;
    }
  | { readonly to: 'one'; readonly from: string; readonly subject: string; readonly content: unknown }
  | { readonly to: 'asker'; readonly from: string; readonly id: string; readonly content: unknown };

/** The answers of all processes. */
export interface NodeAnswers<T> {
  readonly answers: readonly { readonly node: string; readonly answer: T }[];
  /** How many live processes did not answer in time. */
  readonly missing: number;
}

/** Answers a question from any process, this one included. */
export type AnswerNodes = (content: never, from: string) => unknown;

const answerMs = 1000;
const rememberedMs = 10_000;
/** Not an app id: reserved channels belong to an app, but these do not. */
const scope = '#nodes';

/**
 * Requests and notifications between processes that share the broker. Delivery is not guaranteed: lost messages are not
 * repeated, and a process that does not answer within a second counts as missing. Messages are received only after
 * {@link open}.
 */
@Injectable()
export class NodeRpc implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly subjects = new Map<string, AnswerNodes>();
  private readonly waiting = new Map<string, (node: string, answer: unknown) => void>();
  /** When each process last answered: a new process may not be in the others' count yet. */
  private readonly heardOf = new Map<string, number>();
  private isOpen = false;

  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly node: ThisNode,
  ) {}

  onModuleInit(): void {
    this.hub.onNodes = (message) => this.heard(message);
  }

  /** Starts to receive and allows to ask. If the broker is down, this takes effect when it is back. */
  open(): void {
    this.isOpen = true;
    for (const channel of this.channels)
      this.later((async () => this.broker.subscribe(scope, channel))(), 'Cannot listen to other processes');
  }

  onApplicationShutdown(): void {
    if (!this.isOpen) return;
    for (const channel of this.channels)
      this.later((async () => this.broker.unsubscribe(scope, channel))(), 'Cannot stop listening to other processes');
  }

  /** Registers the handler that answers questions on a subject. */
  on<Content>(subject: string, answer: (content: Content, from: string) => unknown): void {
    this.subjects.set(subject, answer); // The subject fixes the type of the content on both sides.
  }

  /** Asks all processes. Those that do not know the subject, or fail, count as missing. */
  async askAll<Answer>(subject: string, content: unknown): Promise<NodeAnswers<Answer>> {
    const id = randomUUID();
    const expected = this.alive;
    const answers = new Map<string, Answer>();
    let timer: NodeJS.Timeout | undefined;
    const all = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, answerMs);
      this.waiting.set(id, (node, answer) => {
        answers.set(node, answer as Answer);
        if (answers.size >= expected) resolve();
      });
    });
    try {
      await this.say(allNodes, { to: 'all', from: this.node.id, subject, id, content });
      await all;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
    return {
      answers: Array.from(answers, ([node, answer]) => ({ node, answer })),
      missing: Math.max(0, expected - answers.size),
    };
  }

  /** Notifies all processes, this one included. */
  tellAll(subject: string, content: unknown): void {
    this.later(
      this.say(allNodes, { to: 'all', from: this.node.id, subject, content }),
      'Cannot notify the other processes',
    );
  }

  /** Notifies one process. */
  tell(node: string, subject: string, content: unknown): void {
    this.later(this.say(nodeOf(node), { to: 'one', from: this.node.id, subject, content }), 'Cannot notify a process');
  }

  /** The number of processes, this one included. */
  private get alive(): number {
    const since = performance.now() - rememberedMs;
    for (const [node, at] of this.heardOf) if (at < since) this.heardOf.delete(node);
    return Math.max(this.node.others + 1, this.heardOf.size);
  }

  private get channels(): readonly string[] {
    return [allNodes, nodeOf(this.node.id)];
  }

  private heard(message: BrokerMessage): void {
    if (message.kind !== 'event' || !this.isOpen) return;
    const said = JSON.parse(message.text) as Said; // Written by `say` of some process, possibly this one.
    this.heardOf.set(said.from, performance.now());
    if (said.to === 'asker') return this.waiting.get(said.id)?.(said.from, said.content);
    const answer = this.subjects.get(said.subject);
    if (!answer) return;
    const answered: Awaitable<void> = this.answer(answer, said);
    this.later(answered, `Cannot answer ${said.subject}`);
  }

  private async answer(answer: AnswerNodes, said: Exclude<Said, { to: 'asker' }>): Promise<void> {
    const content = await answer(said.content as never, said.from);
    if (said.to === 'all' && said.id !== undefined)
      await this.say(nodeOf(said.from), { to: 'asker', from: this.node.id, id: said.id, content });
  }

  private async say(channel: string, said: Said): Promise<void> {
    await this.broker.publish({ kind: 'event', appId: scope, channel, text: JSON.stringify(said) });
  }

  private later(work: Promise<void>, failure: string): void {
    work.catch((error: unknown) => this.logger.warn(`${failure}: ${String(error)}`));
  }
}
