import { Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { type JsonObject, loggedUrl } from '#common';
import { JsonBody, RookeryController } from '#http';
import { ConsoleGuard } from '../access/console.guard.js';
import { PushColumn } from '../push/push-column.js';
import type { DeadWebhooks, Webhooks, WebhookTest } from '../contract/index.js';
import { WebhookAnswers } from './webhook-answers.js';
import { tracedInstance, type WebhookOwner } from './webhook-owner.js';

/** `/console/api/instances/:instance/webhooks` */
@RookeryController('console/api/instances/:instance/webhooks')
@UseGuards(ConsoleGuard)
export class InstanceWebhooksController {
  constructor(
    private readonly push: PushColumn,
    private readonly answers: WebhookAnswers,
  ) {}

  @Get()
  async state(@Param('instance') id: string): Promise<Webhooks> {
    return this.answers.state(await this.owner(id));
  }

  @Get('dead')
  async dead(@Param('instance') id: string, @Query('cursor') cursor: unknown): Promise<DeadWebhooks> {
    return this.answers.dead(await this.owner(id), cursor);
  }

  @Post('dead/resend')
  @HttpCode(200)
  async resendAll(@Param('instance') id: string): Promise<{ readonly resent: number }> {
    return this.answers.resendAll(await this.owner(id));
  }

  @Post('dead/:id/resend')
  @HttpCode(202)
  async resend(@Param('instance') id: string, @Param('id') webhookId: string): Promise<void> {
    await this.answers.resend(await this.owner(id), webhookId);
  }

  @Post(':position/test')
  @HttpCode(200)
  async test(
    @Param('instance') id: string,
    @Param('position') position: string,
    @JsonBody() { url }: JsonObject,
  ): Promise<WebhookTest> {
    return this.answers.test(await this.owner(id), position, url);
  }

  private async owner(id: string): Promise<WebhookOwner> {
    const instance = await this.push.find(id);
    const { letters, webhookTests } = this.push.parts;
    const endpoints = (instance.webhooks ?? []).map((webhook) => ({
      url: loggedUrl(webhook.url),
      events: webhook.events,
      filter: null,
      headers: [],
      test: () => webhookTests.test(instance, webhook),
    }));
    return { id: instance.id, traced: tracedInstance(instance.id), letters, endpoints };
  }
}
