import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Awaitable, ThisNode } from 'rookery/common';
import { Broker, type BrokerMessage } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { allNodes, nodeOf } from '../protocol/reserved-channels.js';

/** What processes say to each other, as JSON. */
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

/** What the processes answered. */
export interface NodeAnswers<T> {
  readonly answers: readonly { readonly node: string; readonly answer: T }[];
  /** How many processes are alive and did not answer in time. */
  readonly missing: number;
}

/** Answers a question of any process, this one included. */
export type AnswerNodes = (content: never, from: string) => unknown;

const answerMs = 1000;
const rememberedMs = 10_000;
/** No app of anybody: reserved channels are those of an app, and these are those of none. */
const scope = '#nodes';

/**
 * Processes that share the broker ask each other, and tell each other. Nothing is kept: what is lost on the way was not
 * said, and whoever does not answer in a second is counted as missing. Nobody listens before {@link open}.
 */
@Injectable()
export class NodeRpc implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly subjects = new Map<string, AnswerNodes>();
  private readonly waiting = new Map<string, (node: string, answer: unknown) => void>();
  /** When each process last answered: a new process is not in the others' count yet. */
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

  /** From now on this process is asked, and may ask. Where the broker is away, it is so when that is back. */
  open(): void {
    this.isOpen = true;
    for (const channel of this.channels)
      this.later((async () => this.broker.subscribe(scope, channel))(), 'Other processes are not heard');
  }

  onApplicationShutdown(): void {
    if (!this.isOpen) return;
    for (const channel of this.channels)
      this.later((async () => this.broker.unsubscribe(scope, channel))(), 'Other processes are still heard');
  }

  /** Registers the handler that answers questions on a subject. */
  on<Content>(subject: string, answer: (content: Content, from: string) => unknown): void {
    this.subjects.set(subject, answer); // By the subject, both sides know what is said.
  }

  /** Asks all processes; those that do not know the subject, or fail, count as missing. */
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

  /** Tells all processes, this one included. */
  tellAll(subject: string, content: unknown): void {
    this.later(this.say(allNodes, { to: 'all', from: this.node.id, subject, content }), 'Others were not told');
  }

  /** Tells one process. */
  tell(node: string, subject: string, content: unknown): void {
    this.later(this.say(nodeOf(node), { to: 'one', from: this.node.id, subject, content }), 'Another was not told');
  }

  /** How many processes there are, this one included. */
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
    const said = JSON.parse(message.text) as Said; // By `say` of another process, or of this one.
    this.heardOf.set(said.from, performance.now());
    if (said.to === 'asker') return this.waiting.get(said.id)?.(said.from, said.content);
    const answer = this.subjects.get(said.subject);
    if (!answer) return;
    const answered: Awaitable<void> = this.answer(answer, said);
    this.later(answered, `${said.subject} was not answered`);
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
