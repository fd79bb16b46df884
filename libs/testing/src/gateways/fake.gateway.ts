import type { DeviceAddress, Platform } from 'rookery/push-device';
import {
  type Notification,
  type Outcome,
  type PreparedNotification,
  PushGateway,
  rejectedIn,
  SendLater,
} from 'rookery/publish';
import type { PushRecord } from './push-record.js';

/** The details of a push service's answer. */
export interface AnswerDetails {
  /** How long to wait, in seconds. */
  readonly retryAfterSeconds?: number;
  /** When the device was unregistered, in epoch milliseconds (APNs, and Apple's web push). */
  readonly timestamp?: number;
  /** The field of the message that FCM rejects, such as `message.token`. */
  readonly violates?: string;
}

/** Delivered, unreachable, or one of the service's own words or statuses. */
export type FakeOutcome<Word> = 'delivered' | 'unreachable' | Word;

/** A fake gateway's answer, with or without details. */
export type FakeAnswer<Word> = FakeOutcome<Word> | (AnswerDetails & { readonly answer: FakeOutcome<Word> });

/** The common part of a message for all devices, or why the service would reject it. */
export type Message = { readonly ttlMs: number } | { readonly rejected: string };

/**
 * A push service in this process that answers as you tell it, and records what it is sent. It checks payloads and
 * interprets answers as the real gateway does; it needs no credentials, and nothing leaves the process.
 */
export abstract class FakeGateway<Word extends string | number> extends PushGateway {
  abstract override readonly platform: Platform;
  private forAll: FakeAnswer<Word>[] = ['delivered'];
  private readonly forTokens = new Map<string, FakeAnswer<Word>[]>();

  constructor(private readonly record: PushRecord) {
    super();
  }

  /** Sets the answer for all devices. Several answers are given in turn, and the last one from then on. */
  answer(...answers: [FakeAnswer<Word>, ...FakeAnswer<Word>[]]): void {
    this.forAll = answers;
  }

  /** Sets the answer for one device, whatever the others get. */
  answerTo(token: string, ...answers: [FakeAnswer<Word>, ...FakeAnswer<Word>[]]): void {
    this.forTokens.set(token, answers);
  }

  /** Delivers to all devices again. */
  reset(): void {
    this.forAll = ['delivered'];
    this.forTokens.clear();
  }

  override refusal(notification: Notification): string | undefined {
    return rejectedIn(this.messageOf(notification));
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const message = this.messageOf(notification);
    if ('rejected' in message) return message;
    return { ttlMs: message.ttlMs, send: (device) => this.send(notification, device) };
  }

  async close(): Promise<void> {}

  protected abstract messageOf(notification: Notification): Message;

  /** The meaning of the service's answer. Throws SendLater and PlatformFault. */
  protected abstract outcomeOf(word: Word | 'delivered', details: AnswerDetails): Outcome;

  private async send(notification: Notification, device: DeviceAddress): Promise<Outcome> {
    const given = nextOf(this.forTokens.get(device.token) ?? this.forAll);
    const { answer, ...details } = typeof given === 'object' ? given : { answer: given };
    await this.record.add(notification, device, answer);
    if (answer === 'unreachable') throw new SendLater('Unreachable (no answer)');
    return this.outcomeOf(answer as Word | 'delivered', details);
  }
}

/** The next in turn; the last one is repeated. */
const nextOf = <Each>(answers: Each[]): Each => (answers.length > 1 ? answers.shift()! : answers[0]!);
