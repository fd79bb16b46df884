import { Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiError, JsonBody, type JsonObject, RookeryController } from 'rookery/common';
import { checkedPublish, publishOf } from 'rookery/publish';
import { ConsoleGuard } from '../access/console.guard.js';
import type { Preview, PublishDetail, Publishes } from '../contract.js';
import { ConsoleSettings } from '../console.options.js';
import { badRequest } from '../console.errors.js';
import { previewOf } from './preview.js';
import { PushColumn } from './push-column.js';
import { cursorOf, placeIn, shownOutcome, shownPublish } from './shown-publish.js';

const pageSize = 20;
const mostOutcomes = 100;

/** `/console/api/instances/:id/preview` and `…/publishes` */
@RookeryController('console/api/instances/:instance')
@UseGuards(ConsoleGuard)
export class ConsolePublishesController {
  constructor(
    private readonly push: PushColumn,
    private readonly settings: ConsoleSettings,
  ) {}

  /** Errors in the payloads are a part of the answer. */
  @Post('preview')
  @HttpCode(200)
  async preview(@Param('instance') id: string, @JsonBody() { body }: JsonObject): Promise<Preview> {
    const instance = await this.push.find(id);
    try {
      const publish = publishOf(instance.id, checkedPublish({ interests: ['preview'], ...objectIn(body) }), Date.now());
      return previewOf(instance.id, publish.payloads, Date.now());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { apns: null, fcm: null, web: null, errors: [error.message] };
    }
  }

  @Get('publishes')
  async list(@Param('instance') id: string, @Query('cursor') cursor: unknown): Promise<Publishes> {
    const instance = await this.push.find(id);
    const { publishes } = this.push.parts;
    const found = await publishes.latest(instance.id, pageSize + 1, placeIn(cursor));
    const page = found.slice(0, pageSize);
    const shown = await Promise.all(
      page.map(async (publish) => shownPublish(publish, await publishes.status(instance.id, publish.id))),
    );
    return { publishes: shown, next: found.length > pageSize ? cursorOf(page.at(-1)!) : null };
  }

  @Get('publishes/:publish')
  async one(@Param('instance') id: string, @Param('publish') publishId: string): Promise<PublishDetail> {
    const instance = await this.push.find(id);
    const { publishes } = this.push.parts;
    const publish = await publishes.find(instance.id, publishId);
    const shown = shownPublish(publish, await publishes.status(instance.id, publishId));
    return { ...shown, body: this.settings.hidePayloads ? null : publish.payloads };
  }

  @Get('publishes/:publish/outcomes')
  async outcomes(@Param('instance') id: string, @Param('publish') publishId: string, @Query('cursor') cursor: unknown) {
    const instance = await this.push.find(id);
    const after = typeof cursor === 'string' ? cursor : '';
    const query = { after, limit: mostOutcomes };
    const { devices, next = null } = await this.push.parts.publishes.outcomes(instance.id, publishId, query);
    return { outcomes: devices.map(shownOutcome), next };
  }

  @Post('publishes')
  @HttpCode(200)
  async publish(@Param('instance') id: string, @JsonBody() { interests, users, body }: JsonObject) {
    const instance = await this.push.find(id);
    const audience = users === undefined ? { interests } : { users };
    const publish = checkedPublish({ ...objectIn(body), ...audience });
    const { publishes } = this.push.parts;
    return 'users' in publish
      ? publishes.publishToUsers(instance.id, publish)
      : publishes.publishToInterests(instance.id, publish);
  }
}

/** @throws ConsoleError 400 */
function objectIn(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest('body must be an object.');
  return body;
}
