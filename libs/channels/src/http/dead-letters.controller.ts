import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { cursorIn, describing, limitIn } from '#http';
import { type DeadLetterPage, deadLetterPage, isDeadLetterCursor } from '#webhooks';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { badRequest, webhookNotFound } from '../channels.errors.js';
import { ChannelsDeadLetters } from '../webhooks/channels-dead-letters.js';
import { ChannelsApi } from '../access/channels-api.js';
import { Signed } from '../access/signed-operation.js';

const { answer, deadLetters, inPath, pageParameters, resent } = describing;

/** api § Dead webhooks */
@ChannelsApi()
export class DeadLettersController {
  constructor(private readonly letters: ChannelsDeadLetters) {}

  @Get('webhooks/dead')
  @Signed('The webhooks that were given up, oldest first', () => ({
    parameters: pageParameters,
    answers: answer('One page', deadLetters),
  }))
  async list(
    @CurrentApp() { id }: App,
    @Parameters() query: Readonly<Record<string, unknown>>,
  ): Promise<DeadLetterPage> {
    const after = cursorIn(query['cursor'], isDeadLetterCursor, badRequest) ?? '';
    const limit = limitIn(query['limit'], badRequest);
    return deadLetterPage(await this.letters.list(id, after, limit + 1), limit);
  }

  @Post('webhooks/dead/resend')
  @HttpCode(200)
  @Signed('Send all dead webhooks again', () => ({ answers: answer('The number of webhooks', resent, { resent: 3 }) }))
  async resendAll(@CurrentApp() { id }: App) {
    return { resent: await this.letters.resendAll(id) };
  }

  @Post('webhooks/dead/:webhookId/resend')
  @HttpCode(200)
  @Signed('Send a dead webhook again', () => ({
    parameters: [inPath('webhookId', 'Its id')],
    answers: answer('It will be sent again', resent, { resent: 1 }),
    refuses: [webhookNotFound()],
  }))
  async resend(@CurrentApp() { id }: App, @Param('webhookId') webhookId: string) {
    if (!(await this.letters.resend(id, webhookId))) throw webhookNotFound();
    return { resent: 1 };
  }
}
