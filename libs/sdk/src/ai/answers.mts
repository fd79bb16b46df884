import { streamed, type StreamedText } from '@rookery/client';
import { allHeard, type ChatChannel, type ChatClient, refusal } from './chat-channel.mjs';

const known = new WeakMap<ChatChannel, Map<string, Answers>>();

/** The streams of a chat's channel, the latest last. All transports of a page share them. */
export class Answers {
  private readonly streams = new Map<string, StreamedText>();
  private readonly readers = new Set<(failure?: Error) => void>();
  private readonly watchers = new Set<() => unknown>();
  private readonly read = new Set<string>();
  private readonly stopped = new Set<string>();
  private joining: Promise<void> | undefined;
  private isJoined = false;
  /** How many of this page's questions have not got the id of their stream yet. */
  private asking = 0;

  private constructor(
    private readonly client: ChatClient,
    private readonly channel: ChatChannel,
    event: string,
  ) {
    streamed(channel, event, (stream) => this.heard(stream));
    channel.bind('pusher:subscription_succeeded', () => this.stopAgain());
    channel.bind('pusher:subscription_error', (error: object) => this.tell(refusal(error)));
  }

  /** @throws Error when the page subscribed before: what came until now is unknown */
  static on(client: ChatClient, name: string, event: string): Answers {
    const channel = client.subscribe(name);
    const events = known.get(channel) ?? new Map<string, Answers>();
    known.set(channel, events);
    let answers = events.get(event);
    if (answers) return answers;
    if (channel.subscribed)
      throw new Error(
        `RookeryChatTransport: the page subscribed to ${name} first. Write pusher.unsubscribe('${name}')`,
      );
    events.set(event, (answers = new Answers(client, channel, event)));
    return answers;
  }

  /** Resolves when the streams so far are known. @throws Error when the channel refuses the client */
  joined(): Promise<void> {
    this.joining ??= allHeard(this.client, this.channel).then(
      () => {
        this.isJoined = true;
        this.announce();
      },
      (error: unknown) => {
        this.joining = undefined;
        throw error;
      },
    );
    return this.joining;
  }

  /** The stream that goes on. */
  get current(): string | undefined {
    return [...this.streams.values()].findLast(({ end }) => !end)?.id;
  }

  /** Asks for an answer of this page's own. @returns the id of its stream */
  async ask(question: () => Promise<string>): Promise<string> {
    this.asking += 1;
    try {
      const id = await question();
      this.read.add(id);
      return id;
    } finally {
      this.asking -= 1;
      this.announce();
    }
  }

  /** Calls back when a stream goes on that this page does not read. @returns what ends it */
  watch(begun: () => unknown): () => void {
    this.watchers.add(begun);
    return () => void this.watchers.delete(begun);
  }

  /**
   * The parts of a stream from its beginning.
   * @param isWhole whether those of the earlier streams of the same message come first
   */
  parts<Part>(id: string, isWhole = false): ReadableStream<Part> {
    this.read.add(id);
    let reader: (failure?: Error) => void;
    return new ReadableStream<Part>({
      start: (controller) => {
        let from = 0;
        const enqueue = (text: string): void => {
          for (const line of text.split('\n')) if (line !== '') controller.enqueue(JSON.parse(line) as Part);
        };
        const more = (): void => {
          const { text = '', end, message } = this.streams.get(id) ?? {};
          const to = text.lastIndexOf('\n') + 1;
          if (to > 0 && from === 0 && isWhole) for (const each of this.before(id)) enqueue(each);
          enqueue(text.slice(from, to));
          from = to;
          if (end) this.readers.delete(reader);
          if (end === 'done') controller.close();
          else if (end) controller.error(new Error(message ?? `The answer was cut off: ${end}`));
        };
        reader = (failure) => {
          try {
            if (failure) throw failure;
            more();
          } catch (error) {
            this.readers.delete(reader);
            controller.error(error);
          }
        };
        this.readers.add(reader);
        reader();
        this.joined().catch(reader);
      },
      cancel: () => void this.readers.delete(reader),
    });
  }

  /** Asks the sender to stop; again after each reconnect, until the stream ends. */
  stop(id: string): void {
    if (this.streams.get(id)?.end) return;
    this.stopped.add(id);
    this.stopAgain();
  }

  /** @returns whether the message was sent */
  steer(message: unknown): boolean {
    const stream = this.current;
    return stream !== undefined && this.channel.subscribed && this.channel.trigger('client-steer', { stream, message });
  }

  private heard(stream: StreamedText): void {
    const isNew = !this.streams.has(stream.id);
    this.streams.set(stream.id, stream);
    if (stream.end) this.stopped.delete(stream.id);
    this.tell();
    if (isNew) this.announce();
  }

  private tell(failure?: Error): void {
    for (const reader of this.readers) reader(failure);
  }

  private announce(): void {
    const { current } = this;
    if (!this.isJoined || this.asking > 0 || current === undefined || this.read.has(current)) return;
    for (const begun of this.watchers) begun();
  }

  private stopAgain(): void {
    if (this.channel.subscribed) for (const stream of this.stopped) this.channel.trigger('client-stop', { stream });
  }

  /** The texts of the earlier streams of the message that a stream continues, as after the approval of a tool. */
  private before(id: string): readonly string[] {
    const all = [...this.streams.values()];
    const { text } = this.streams.get(id)!;
    const message = messageOf(text);
    const earlier = all.slice(
      0,
      all.findIndex((each) => each.id === id),
    );
    return message === undefined ? [] : earlier.map((each) => each.text).filter((each) => messageOf(each) === message);
  }
}

/** The message that a stream is about, by its first part. */
function messageOf(text: string): unknown {
  const end = text.indexOf('\n');
  return end < 0 ? undefined : (JSON.parse(text.slice(0, end)) as { readonly messageId?: unknown }).messageId;
}
