import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Awaitable, isObject, QuietCount, ThisNode } from '#common';
import { allNodes, nodeOf } from '../protocol/reserved-channels.js';
import { Broker, type BrokerEvent, type Topic } from './broker.js';

/**
 * A kind of message between processes. Both sides name it by the same constant, which gives their content and answer one
 * type; both travel as JSON.
 */
export interface NodeSubject<Content, Answer> {
  readonly name: string;
  /** Never set: only the types of the two. */
  readonly types?: readonly [Content, Answer];
}

/** Without an answer for messages that only notify. */
export const nodeSubject = <Content, Answer = void>(name: string): NodeSubject<Content, Answer> => ({ name });

/** A message between processes, sent as JSON. Without a subject, it answers the request with its id. */
interface NodeMessage {
  readonly from: string;
  readonly subject?: string;
  /** Absent if no answer is expected. */
  readonly id?: string;
  readonly content: unknown;
}

/** The answers of all processes. */
export interface NodeAnswers<T> {
  readonly answers: readonly { readonly node: string; readonly answer: T }[];
  /** How many live processes did not answer in time. */
  readonly missing: number;
}

const answerMs = 1000;
const rememberedMs = 10_000;
/** Not an app id: reserved channels belong to an app, but these do not. */
const scope = '#nodes';

/**
 * Requests and notifications between processes that share the broker. Delivery is not guaranteed: lost messages are not
 * repeated, and a process that does not answer in time counts as missing. Messages from one process to another arrive
 * in order.
 */
@Injectable()
export class NodeRpc implements OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly subjects = new Map<string, (content: never, from: string) => unknown>();
  private readonly waiting = new Map<string, (node: string, answer: unknown) => void>();
  /** The channels that this process receives. */
  private readonly listening = new Map<string, Promise<void>>();
  /** When each process last answered: a new process may not be in the others' count yet. */
  private readonly heardOf = new Map<string, number>();
  /** By what failed. */
  private readonly failures = new Map<string, QuietCount>();
  private readonly own: string;

  constructor(
    private readonly broker: Broker,
    private readonly node: ThisNode,
  ) {
    this.own = nodeOf(node.id);
  }

  /** Receives what is sent to all processes too. If the broker is down, this takes effect when it is back. */
  open(): void {
    for (const channel of [allNodes, this.own]) this.later(this.listen(channel), 'Cannot listen to other processes');
  }

  /** Resolves when messages and answers to this process reach it. Await it before {@link ask}. */
  ready(): Promise<void> {
    return this.listen(this.own);
  }

  onApplicationShutdown(): void {
    for (const channel of this.listening.keys())
      this.later((async () => this.broker.unsubscribe(scope, channel))(), 'Cannot stop listening to other processes');
  }

  /** Registers the handler that answers requests on a subject. @throws Error when there is one already */
  on<Content, Answer>(
    { name }: NodeSubject<Content, Answer>,
    answer: (content: Content, from: string) => Awaitable<NoInfer<Answer>>,
  ): void {
    if (this.subjects.has(name)) throw new Error(`NodeRpc: two subjects have the name ${name}`);
    this.subjects.set(name, answer);
  }

  /** Asks all processes that are {@link open}. Those that do not know the subject, or fail, count as missing. */
  async askAll<Content, Answer>(
    { name: subject }: NodeSubject<Content, Answer>,
    content: Content,
  ): Promise<NodeAnswers<Answer>> {
    const expected = this.alive;
    const answers = await this.request<Answer>(allNodes, { subject, content }, expected, answerMs);
    return {
      answers: Array.from(answers, ([node, answer]) => ({ node, answer })),
      missing: Math.max(0, expected - answers.size),
    };
  }

  /** Asks one process. Undefined when no answer comes in time, because the process has died. */
  async ask<Content, Answer>(
    node: string,
    { name: subject }: NodeSubject<Content, Answer>,
    content: Content,
    withinMs: number,
  ): Promise<Answer | undefined> {
    return (await this.request<Answer>(nodeOf(node), { subject, content }, 1, withinMs)).get(node);
  }

  /** Notifies all processes, this one included. */
  notifyAll<Content>({ name: subject }: NodeSubject<Content, void>, content: Content): void {
    this.later(this.send(allNodes, { subject, content }), 'Cannot notify the other processes');
  }

  /** Notifies one process. */
  notify<Content, Answer>(node: string, { name: subject }: NodeSubject<Content, Answer>, content: Content): void {
    this.later(this.send(nodeOf(node), { subject, content }), 'Cannot notify a process');
  }

  /** Whether a topic carries messages between processes. */
  carries({ appId }: Topic): boolean {
    return appId === scope;
  }

  /** Whether a topic carries messages to this process alone. */
  isOwn({ appId, channel }: Topic): boolean {
    return appId === scope && channel === this.own;
  }

  /** A broker may deliver what this process has sent to another one as well. */
  receive({ channel, text }: BrokerEvent): void {
    if (!this.listening.has(channel)) return;
    const message = messageOf(text);
    if (!message) return this.logger.warn('Dropped a message of another process that this release cannot read');
    const { from, subject, id, content } = message;
    this.heardOf.set(from, performance.now());
    if (subject === undefined) return this.waiting.get(id ?? '')?.(from, content);
    const answer = this.subjects.get(subject);
    if (answer) this.later(this.answer(answer, from, id, content), `Cannot answer ${subject}`);
  }

  /** Resolves with the answers when there are as many as expected, or when the time is over. */
  private async request<Answer>(
    channel: string,
    message: Pick<NodeMessage, 'subject' | 'content'>,
    expected: number,
    withinMs: number,
  ): Promise<ReadonlyMap<string, Answer>> {
    const id = randomUUID();
    const answers = new Map<string, Answer>();
    let timer: NodeJS.Timeout | undefined;
    const all = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
      this.waiting.set(id, (node, answer) => {
        answers.set(node, answer as Answer);
        if (answers.size >= expected) resolve();
      });
    });
    try {
      await this.send(channel, { ...message, id });
      await all;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
    return answers;
  }

  /** The number of processes, this one included. */
  private get alive(): number {
    const since = performance.now() - rememberedMs;
    for (const [node, at] of this.heardOf) if (at < since) this.heardOf.delete(node);
    return Math.max(this.node.others + 1, this.heardOf.size);
  }

  private listen(channel: string): Promise<void> {
    let listening = this.listening.get(channel);
    if (!listening) {
      listening = (async () => this.broker.subscribe(scope, channel))();
      this.listening.set(channel, listening);
      listening.catch(() => this.listening.delete(channel));
    }
    return listening;
  }

  private async answer(
    answer: (content: never, from: string) => unknown,
    from: string,
    id: string | undefined,
    content: unknown,
  ): Promise<void> {
    const answered = await answer(content as never, from);
    if (id !== undefined) await this.send(nodeOf(from), { id, content: answered });
  }

  private async send(channel: string, message: Omit<NodeMessage, 'from'>): Promise<void> {
    const text = JSON.stringify({ from: this.node.id, ...message } satisfies NodeMessage);
    await this.broker.publish({ kind: 'event', appId: scope, channel, text });
  }

  /** Logs a failure, and then that of others alike at most once in ten seconds: after a pause, hundreds fail at once. */
  private later(work: Promise<void>, failure: string): void {
    work.catch((error: unknown) => {
      const alike = this.failures.get(failure) ?? new QuietCount();
      this.failures.set(failure, alike);
      const count = alike.add();
      if (count === 0) return;
      const more = count > 1 ? ` (and ${count - 1} times before)` : '';
      this.logger.warn(`${failure}: ${String(error)}${more}`);
    });
  }
}

/** Written by `send` of some process, maybe of another release; anything else is undefined. */
function messageOf(text: string): NodeMessage | undefined {
  const message = parsed(text);
  if (!isObject(message)) return undefined;
  const { from, subject, id, content } = message;
  if (typeof from !== 'string' || !isTextOrMissing(subject) || !isTextOrMissing(id)) return undefined;
  return { from, content, ...(subject !== undefined && { subject }), ...(id !== undefined && { id }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isTextOrMissing = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';
