import type { Answer } from './answer.js';

/** What another process writes into a request that has reached it, in place of this one: once, then it asks again. */
export class RemoteAnswer implements Answer {
  isEnded = false;
  /** It waits there, where the next is not asked for before it has been written. */
  readonly waitingBytes = 0;

  /**
   * @param reply says what is to be written, and whether the request is over with it
   * @param onEnd called once, when it has been said
   */
  constructor(
    private readonly reply: (bytes: Buffer | undefined, isLast: boolean) => void,
    private readonly onEnd: (answer: RemoteAnswer) => void,
  ) {}

  write(bytes: Buffer): void {
    this.say(bytes, false);
  }

  end(bytes?: Buffer): void {
    this.say(bytes, true);
  }

  destroy(): void {
    this.say(undefined, true);
  }

  private say(bytes: Buffer | undefined, isLast: boolean): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.reply(bytes, isLast);
    this.onEnd(this);
  }
}
