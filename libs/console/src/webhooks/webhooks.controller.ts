import { Get, HttpCode, type OnApplicationBootstrap, Param, Post, Query, UseGuards } from '@nestjs/common';
import { type App, ChannelsDeadLetters, NodeRpc, WebhookTestService } from 'rookery/channels';
import {
  type DeadLetter,
  deadLetterPlace,
  isDeadLetterPlace,
  JsonBody,
  type JsonObject,
  loggedUrl,
  RookeryController,
} from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import { pageOf, pageSize } from '../channels/page.js';
import type { Activity, DeadWebhooks, WebhookEndpoint, Webhooks, WebhookTest } from '../contract.js';
import { badRequest, ConsoleError, notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { withoutPayload } from '../watch/activity.js';
import { Trace } from '../watch/trace.js';

const mostTries = 200;

/** `/console/api/apps/:app/webhooks` */
@RookeryController('console/api/apps/:app/webhooks')
@UseGuards(ConsoleGuard)
export class ConsoleWebhooksController implements OnApplicationBootstrap {
  constructor(
    private readonly apps: AppInPath,
    private readonly calls: NodeRpc,
    private readonly trace: Trace,
    private readonly deadLetters: ChannelsDeadLetters,
    private readonly tests: WebhookTestService,
    private readonly settings: ConsoleSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<{ appId: string }>('webhooks', ({ appId }) => this.trace.triesOf(appId, mostTries));
  }

  @Get()
  async state(@Param('app') id: string): Promise<Webhooks> {
    const app = await this.apps.find(id);
    const [{ answers }, { webhooks, oldestDueAt }, dead] = await Promise.all([
      this.calls.askAll<readonly Activity[]>('webhooks', { appId: app.id }),
      this.deadLetters.backlog(),
      this.deadLetters.count(app.id),
    ]);
    const attempts = answers.flatMap(({ answer }) => answer).toSorted((left, right) => right.at - left.at);
    const shown = attempts.slice(0, mostTries);
    return {
      endpoints: app.webhooks.map(shownEndpoint),
      attempts: this.settings.hidePayloads ? shown.map(withoutPayload) : shown,
      waiting: webhooks,
      oldestAt: oldestDueAt ?? null,
      dead,
    };
  }

  @Get('dead')
  async dead(@Param('app') id: string, @Query('cursor') cursor: unknown = ''): Promise<DeadWebhooks> {
    const app = await this.apps.find(id);
    if (typeof cursor !== 'string' || (cursor !== '' && !isDeadLetterPlace(cursor)))
      throw badRequest('cursor must be the next of an earlier answer.');
    const { rows, next } = pageOf(await this.deadLetters.latest(app.id, cursor, pageSize + 1), deadLetterPlace);
    return { webhooks: rows.map((letter) => this.shownDead(letter)), next };
  }

  @Post('dead/resend')
  @HttpCode(200)
  async resendAll(@Param('app') id: string): Promise<{ readonly resent: number }> {
    const app = await this.apps.find(id);
    return { resent: await this.deadLetters.resendAll(app.id) };
  }

  @Post('dead/:id/resend')
  @HttpCode(202)
  async resend(@Param('app') appId: string, @Param('id') id: string): Promise<void> {
    const app = await this.apps.find(appId);
    if (!(await this.deadLetters.resend(app.id, id))) throw notFound('The webhook');
  }

  /** An endpoint has no id but its position, so the request also says which URL it means. */
  @Post(':position/test')
  @HttpCode(200)
  async test(
    @Param('app') appId: string,
    @Param('position') position: string,
    @JsonBody() { url }: JsonObject,
  ): Promise<WebhookTest> {
    const app = await this.apps.find(appId);
    const webhook = app.webhooks[Number(position)];
    if (!webhook) throw notFound('The webhook');
    if (loggedUrl(webhook.url) !== url) throw new ConsoleError(409, 'The webhooks were changed. Reload the page.');
    const { tried, body, durationMs } = await this.tests.test(app, webhook);
    const { hidePayloads } = this.settings;
    return {
      isAccepted: tried.outcome === 'accepted',
      status: tried.status ?? null,
      error: tried.outcome === 'accepted' ? null : tried.reason,
      answer: hidePayloads ? null : (tried.answer ?? null),
      durationMs,
      body: hidePayloads ? null : body,
    };
  }

  private shownDead({ delivery: { id, url, body }, diedAt, reason }: DeadLetter) {
    const { hidePayloads } = this.settings;
    return {
      id,
      url: loggedUrl(url),
      events: eventsIn(body),
      at: diedAt,
      // What follows is the endpoint's answer.
      lastError: hidePayloads ? reason.replace(/^(it answered \d{3}):[^]*$/, '$1') : reason,
      body: hidePayloads ? null : body,
    };
  }
}

const shownEndpoint = ({ url, events = [], filter, headers = {} }: App['webhooks'][number]): WebhookEndpoint => ({
  url: loggedUrl(url),
  events,
  filter: filter ?? null,
  headers: Object.keys(headers),
});

/** From the bodies of webhooks and listener calls. */
function eventsIn(body: string): readonly string[] {
  const { events, name } = JSON.parse(body) as { events?: readonly { name: string }[]; name?: string };
  return events?.map((each) => each.name) ?? (name === undefined ? [] : [name]);
}
