import type { TransportAnswer } from './answer.js';

/** The answer to a request that another process received. It is written once; then that process asks again. */
export class RemoteAnswer implements TransportAnswer {
  isEnded = false;
  /** Bytes wait in the other process, which asks for more only after it has written them. */
  readonly waitingBytes = 0;

  /**
   * @param reply passes on the bytes to write, and whether they complete the request
   * @param onEnd called once, after the reply was sent
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
