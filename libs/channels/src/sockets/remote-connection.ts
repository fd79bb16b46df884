import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { HttpAnswer } from '../connections/http/answer.js';
import type { RemoteConnections } from './remote-connections.js';

/** A connection that another process owns, as requests in this process use it. */
export class RemoteConnection {
  private readonly logger = new Logger('Channels');
  private asked = '';
  private isLeft = false;

  constructor(
    private readonly all: RemoteConnections,
    private readonly appId: string,
    private readonly name: string,
  ) {}

  /** Writes what arrives into an answer until it ends, asking for more after each write. */
  receive(answer: HttpAnswer, mark?: string): void {
    this.follow(answer, mark).catch((error: unknown) => {
      this.logger.warn(`Connection ${this.name} of app ${this.appId} cannot be reached: ${String(error)}`);
      answer.destroy();
    });
  }

  /** The client closed the answer. */
  left(answer: HttpAnswer): void {
    if (!answer.isEnded) this.aborted();
  }

  /** The client aborted its request before the answer began. */
  aborted(): void {
    this.isLeft = true;
    this.all.tell(this.appId, this.name, { purpose: 'leave', id: this.asked });
  }

  /** The owner reads at its own pace; {@link said} waits for its reply. */
  readable(): void {}

  async said(texts: readonly string[], mark?: string): Promise<void> {
    await this.send({ texts, ...(mark !== undefined && { mark }) });
  }

  async saidTooMuch(): Promise<void> {
    await this.send({});
  }

  private async send(said: { readonly texts?: readonly string[]; readonly mark?: string }): Promise<void> {
    await this.all.listen(this.appId);
    const reply = await this.all.ask(this.appId, this.name, randomUUID(), { purpose: 'send', ...said });
    if (!reply) throw new Error('The process that owns the connection does not answer');
  }

  private async follow(answer: HttpAnswer, mark: string | undefined): Promise<void> {
    await this.all.listen(this.appId);
    let begun = mark === undefined ? {} : { mark };
    while (!answer.isEnded && !this.isLeft) {
      this.asked = randomUUID();
      const reply = await this.all.ask(this.appId, this.name, this.asked, { purpose: 'receive', ...begun });
      // The rest belongs to the same request.
      begun = {};
      if (this.isLeft) return;
      if (!reply) return answer.destroy();
      const bytes = Buffer.from(reply.text, 'latin1');
      if (reply.isLast) answer.end(bytes);
      else if (bytes.length > 0) answer.write(bytes);
      await answer.drained();
    }
  }
}
