import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type NodeRpc, nodeSubject } from '../broker/node-rpc.js';
import type { HttpAnswer } from '../connections/http/answer.js';

/** A request that reached another process than the one that owns its connection. */
export type RemoteRequest = { readonly name: string } & (
  | { readonly purpose: 'receive'; readonly id: string; readonly mark?: string }
  /** The client aborted the `receive` with this id. */
  | { readonly purpose: 'leave'; readonly id: string }
  /** `texts` is absent when the body was too large. */
  | { readonly purpose: 'send'; readonly texts?: readonly string[]; readonly mark?: string }
);

/** The answer to a {@link RemoteRequest}; `leave` has none. */
export interface RemoteReply {
  /** ASCII only. */
  readonly text: string;
  readonly isLast: boolean;
}

export const remoteRequests = nodeSubject<RemoteRequest, RemoteReply | undefined>('http-request');

/** Longer than a request waits when there is nothing to receive. */
const replyMs = 30_000;

/** A connection that another process owns, as requests in this process use it. */
export class RemoteConnection {
  private readonly logger = new Logger('Channels');
  private asked = '';
  private isLeft = false;

  /** @param owner the node of the process that owns it */
  constructor(
    private readonly rpc: NodeRpc,
    private readonly owner: string,
    private readonly name: string,
  ) {}

  /** Writes what arrives into an answer until it ends, asking for more after each write. */
  receive(answer: HttpAnswer, mark?: string): void {
    this.follow(answer, mark).catch((error: unknown) => {
      this.logger.warn(`Connection ${this.name} cannot be reached: ${String(error)}`);
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
    const { name, asked: id } = this;
    this.rpc.notify(this.owner, remoteRequests, { name, purpose: 'leave', id });
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
    await this.rpc.ready();
    const reply = await this.ask({ name: this.name, purpose: 'send', ...said });
    if (!reply) throw new Error('The process that owns the connection does not answer');
  }

  private async follow(answer: HttpAnswer, mark: string | undefined): Promise<void> {
    await this.rpc.ready();
    let begun = mark === undefined ? {} : { mark };
    while (!answer.isEnded && !this.isLeft) {
      this.asked = randomUUID();
      const reply = await this.ask({ name: this.name, purpose: 'receive', id: this.asked, ...begun });
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

  private ask(request: RemoteRequest): Promise<RemoteReply | undefined> {
    return this.rpc.ask(this.owner, remoteRequests, request, replyMs);
  }
}
