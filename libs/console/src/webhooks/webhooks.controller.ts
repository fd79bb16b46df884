import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { type JsonObject } from 'rookery/internal/common';
import { JsonBody } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import { notFound } from '../console.errors.js';
import type { DeadWebhooks, Webhooks, WebhookTest } from '../contract/index.js';
import { WebhookAnswers } from './webhook-answers.js';
import { InOwner, type WebhookOwner } from './webhook-owner.js';

/** `/console/api/apps/:app/webhooks` and `/console/api/instances/:instance/webhooks` */
@ConsoleController('apps/:app/webhooks', 'instances/:instance/webhooks')
export class ConsoleWebhooksController {
  constructor(private readonly answers: WebhookAnswers) {}

  @Get()
  state(@InOwner() owner: WebhookOwner): Promise<Webhooks> {
    return this.answers.state(owner);
  }

  @Get('dead')
  dead(@InOwner() owner: WebhookOwner, @Query('cursor') cursor: unknown): Promise<DeadWebhooks> {
    return this.answers.dead(owner, cursor);
  }

  @Post('dead/resend')
  @HttpCode(200)
  async resendAll(@InOwner() { id, letters }: WebhookOwner): Promise<{ readonly resent: number }> {
    return { resent: await letters.resendAll(id) };
  }

  @Post('dead/:id/resend')
  @HttpCode(202)
  async resend(@InOwner() { id, letters }: WebhookOwner, @Param('id') webhookId: string): Promise<void> {
    if (!(await letters.resend(id, webhookId))) throw notFound('The webhook');
  }

  @Post(':position/test')
  @HttpCode(200)
  test(
    @InOwner() owner: WebhookOwner,
    @Param('position') position: string,
    @JsonBody() { url }: JsonObject,
  ): Promise<WebhookTest> {
    return this.answers.test(owner, position, url);
  }
}
