import type { DeviceAddress, Platform } from 'rookery/push-device';
import { type Notification, type Outcome, type PreparedNotification, PushGateway, SendLater } from 'rookery/publish';
import type { PushRecord } from './push-record.js';

/** What a push service says besides its word. */
export interface AnswerDetails {
  /** How long to wait, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Since when the device is gone, in epoch milliseconds (APNs, and Apple's web push). */
  readonly timestamp?: number;
  /** The field of the message that FCM finds fault with, such as `message.token`. */
  readonly violates?: string;
}

/** Taken; one of the service's own words or statuses; or no answer at all, since it could not be reached. */
export type FakeOutcome<Word> = 'delivered' | 'unreachable' | Word;

/** What a fake gateway answers: a word, or one with what is said besides. */
export type FakeAnswer<Word> = FakeOutcome<Word> | (AnswerDetails & { readonly answer: FakeOutcome<Word> });

/** What is the same for all devices, or why the service would take it for none. */
export type Message = { readonly ttlMs: number } | { readonly rejected: string };

/**
 * A push service of this process that answers what it is told to, and keeps what it was sent. Payloads are checked, and
 * answers understood, as the real gateway does; no credentials are needed, and nothing leaves the process.
 */
export abstract class FakeGateway<Word extends string | number> extends PushGateway {
  abstract override readonly platform: Platform;
  private forAll: FakeAnswer<Word>[] = ['delivered'];
  private readonly forTokens = new Map<string, FakeAnswer<Word>[]>();

  constructor(private readonly record: PushRecord) {
    super();
  }

  /** Answers all devices so from now on. Of several answers each is given once, in turn, and the last ever after. */
  answer(...answers: [FakeAnswer<Word>, ...FakeAnswer<Word>[]]): void {
    this.forAll = answers;
  }

  /** Answers one device so, whatever the others are answered. */
  answerTo(token: string, ...answers: [FakeAnswer<Word>, ...FakeAnswer<Word>[]]): void {
    this.forTokens.set(token, answers);
  }

  /** Delivers to all devices again. */
  reset(): void {
    this.forAll = ['delivered'];
    this.forTokens.clear();
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const message = this.messageOf(notification);
    if ('rejected' in message) return message;
    return { ttlMs: message.ttlMs, send: (device) => this.send(notification, device) };
  }

  async close(): Promise<void> {}

  protected abstract messageOf(notification: Notification): Message;

  /** What the service's answer means. Throws SendLater and PlatformFault. */
  protected abstract outcomeOf(word: Word | 'delivered', details: AnswerDetails): Outcome;

  private async send(notification: Notification, device: DeviceAddress): Promise<Outcome> {
    const given = nextOf(this.forTokens.get(device.token) ?? this.forAll);
    const { answer, ...details } = typeof given === 'object' ? given : { answer: given };
    await this.record.add(notification, device, answer);
    if (answer === 'unreachable') throw new SendLater('Unreachable (no answer)');
    return this.outcomeOf(answer as Word | 'delivered', details);
  }
}

/** Each in its turn, the last ever after. */
const nextOf = <Each>(answers: Each[]): Each => (answers.length > 1 ? answers.shift()! : answers[0]!);
