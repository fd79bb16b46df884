import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ThisNode } from '#common';
import { Apps } from '../../access/apps.js';
import type { AppOrId } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import { NodeRpc } from '../../broker/node-rpc.js';
import { ChannelsSettings } from '../../channels.options.js';
import { jsonText } from '../../protocol/json-text.js';
import { type PageAnswer, pageAnswer, pageQuestion } from './page-question.js';
import { PageQuestions } from './page-questions.js';

/** Who is asked: a signed-in user, by id, or one connection. */
export type AskedClient = string | { readonly socketId: string };

/** A client was asked and gave no answer. */
export class AskFailed extends Error {
  override readonly name = 'AskFailed';

  constructor(
    message: string,
    /** `absent`: no page is connected. `refused`: the page's handler failed. `timeout`: no page answered in time. */
    readonly reason: 'absent' | 'refused' | 'timeout',
  ) {
    super(message);
  }
}

/** Asks pages, whichever process they are connected to (docs/requests.md). */
@Injectable()
export class ClientsService implements OnApplicationBootstrap {
  private readonly waiting = new Map<string, (answer: PageAnswer | AskFailed) => void>();

  constructor(
    private readonly apps: Apps,
    private readonly rpc: NodeRpc,
    private readonly pages: PageQuestions,
    private readonly node: ThisNode,
    private readonly settings: ChannelsSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.rpc.on(pageQuestion, (question) => this.pages.ask(question));
    this.rpc.on(pageAnswer, (answer) => this.waiting.get(answer.id)?.(answer));
    this.rpc.open();
  }

  /**
   * Waits for the first page of the user, or of the connection, that answers.
   * @param data any JSON, of up to `eventDataBytes`
   * @returns what the page's handler answered; a client may send anything
   * @throws AskFailed; RookeryError `app_not_found`
   */
  async ask(
    app: AppOrId,
    to: AskedClient,
    name: string,
    data?: unknown,
    { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    const found = await this.apps.named(app);
    const json = jsonText(data ?? null);
    const { eventDataBytes } = limitsOf(found, this.settings.limits);
    if (json === undefined || Buffer.byteLength(json) > eventDataBytes)
      throw new Error(`ClientsService.ask: the data is no JSON of up to ${eventDataBytes} bytes`);
    const id = randomUUID();
    const target = typeof to === 'string' ? { userId: to } : { socketId: to.socketId };
    const question = { id, appId: found.id, from: this.node.id, name, json, timeoutMs, ...target };
    const answer = await this.answerTo(question);
    if (answer instanceof AskFailed) throw answer;
    if (answer.error !== undefined) throw new AskFailed(answer.error, 'refused');
    return answer.data;
  }

  private async answerTo(question: Parameters<PageQuestions['ask']>[0]): Promise<PageAnswer | AskFailed> {
    const { id, timeoutMs } = question;
    await this.rpc.ready();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, resolve);
        timer = setTimeout(
          () => resolve(new AskFailed(`No page answered within ${timeoutMs} ms`, 'timeout')),
          timeoutMs,
        );
        this.rpc.askAll(pageQuestion, question).then(({ answers, missing }) => {
          if (missing === 0 && answers.every(({ answer }) => answer === 0))
            resolve(new AskFailed('No page is connected', 'absent'));
        }, reject);
      });
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }
}
