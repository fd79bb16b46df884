import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { cursorIn, limitIn } from '#http';
import { type DeadLetterPage, deadLetterPage, isDeadLetterCursor } from '#webhooks';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { badRequest, webhookNotFound } from '../channels.errors.js';
import { ChannelsDeadLetters } from '../webhooks/channels-dead-letters.js';
import { ChannelsApi } from '../access/channels-api.js';

/** api § Dead webhooks */
@ChannelsApi()
export class DeadLettersController {
  constructor(private readonly letters: ChannelsDeadLetters) {}

  @Get('webhooks/dead')
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
  async resendAll(@CurrentApp() { id }: App) {
    return { resent: await this.letters.resendAll(id) };
  }

  @Post('webhooks/dead/:webhookId/resend')
  @HttpCode(200)
  async resend(@CurrentApp() { id }: App, @Param('webhookId') webhookId: string) {
    if (!(await this.letters.resend(id, webhookId))) throw webhookNotFound();
    return { resent: 1 };
  }
}
