import { Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ChannelsDeadLetters, WebhookTestService } from 'rookery/channels';
import { type JsonObject, loggedUrl } from '#common';
import { JsonBody, RookeryController } from '#http';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { DeadWebhooks, Webhooks, WebhookTest } from '../contract/index.js';
import { WebhookAnswers } from './webhook-answers.js';
import type { WebhookOwner } from './webhook-owner.js';

/** `/console/api/apps/:app/webhooks` */
@RookeryController('console/api/apps/:app/webhooks')
@UseGuards(ConsoleGuard)
export class AppWebhooksController {
  constructor(
    private readonly apps: AppInPath,
    private readonly letters: ChannelsDeadLetters,
    private readonly tests: WebhookTestService,
    private readonly answers: WebhookAnswers,
  ) {}

  @Get()
  async state(@Param('app') id: string): Promise<Webhooks> {
    return this.answers.state(await this.owner(id));
  }

  @Get('dead')
  async dead(@Param('app') id: string, @Query('cursor') cursor: unknown): Promise<DeadWebhooks> {
    return this.answers.dead(await this.owner(id), cursor);
  }

  @Post('dead/resend')
  @HttpCode(200)
  async resendAll(@Param('app') id: string): Promise<{ readonly resent: number }> {
    return this.answers.resendAll(await this.owner(id));
  }

  @Post('dead/:id/resend')
  @HttpCode(202)
  async resend(@Param('app') id: string, @Param('id') webhookId: string): Promise<void> {
    await this.answers.resend(await this.owner(id), webhookId);
  }

  @Post(':position/test')
  @HttpCode(200)
  async test(
    @Param('app') id: string,
    @Param('position') position: string,
    @JsonBody() { url }: JsonObject,
  ): Promise<WebhookTest> {
    return this.answers.test(await this.owner(id), position, url);
  }

  private async owner(id: string): Promise<WebhookOwner> {
    const app = await this.apps.find(id);
    const endpoints = app.webhooks.map((webhook) => ({
      url: loggedUrl(webhook.url),
      events: webhook.events ?? [],
      filter: webhook.filter ?? null,
      headers: Object.keys(webhook.headers ?? {}),
      test: () => this.tests.test(app, webhook),
    }));
    return { id: app.id, traced: app.id, letters: this.letters, endpoints };
  }
}
