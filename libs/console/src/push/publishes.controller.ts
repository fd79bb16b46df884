import { HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiError, JsonBody, type JsonObject, RookeryController } from 'rookery/common';
import { checkedPublish, publishOf } from 'rookery/publish';
import { ConsoleGuard } from '../access/console.guard.js';
import { badRequest } from '../console.errors.js';
import { type Preview, previewOf } from './preview.js';
import { PushColumn } from './push-column.js';

/** `/console/api/instances/:id/preview` and `…/publishes` */
@RookeryController('console/api/instances/:instance')
@UseGuards(ConsoleGuard)
export class ConsolePublishesController {
  constructor(private readonly push: PushColumn) {}

  /** What is wrong with the payloads is a part of the answer. */
  @Post('preview')
  @HttpCode(200)
  async preview(@Param('instance') id: string, @JsonBody() { body }: JsonObject): Promise<Preview> {
    const instance = await this.push.find(id);
    try {
      const publish = publishOf(instance.id, checkedPublish({ interests: ['preview'], ...objectIn(body) }), Date.now());
      return previewOf(instance.id, publish.payloads, Date.now());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { apns: null, fcm: null, web: null, errors: [error.description] };
    }
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
