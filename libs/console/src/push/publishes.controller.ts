import { Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { type JsonObject, settingsOf, withHidden } from '#common';
import { ApiError, JsonBody, RookeryController } from '#http';
import { checkedPublish, type DeviceOutcome, type Publish, publishOf, type PublishStatus } from 'rookery/publish';
import { Instance, platforms } from 'rookery/push-device';
import { ConsoleGuard } from '../access/console.guard.js';
import type { GatewayCheck, Preview, PublishDetail, Publishes, Reach } from '../contract/index.js';
import { ConsoleSettings } from '../console.options.js';
import { badRequest } from '../console.errors.js';
import { checkGateway } from './gateway-check.js';
import { previewOf } from './preview.js';
import { reachOf } from './reach.js';
import { PushColumn } from './push-column.js';
import { cursorOf, placeIn, shownOutcome, shownPublish } from './shown-publish.js';

const pageSize = 20;
const maxOutcomes = 100;

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
      page.map(async (publish) => this.shown(publish, await publishes.status(instance.id, publish.id))),
    );
    return { publishes: shown, next: found.length > pageSize ? cursorOf(page.at(-1)!) : null };
  }

  @Get('publishes/:publish')
  async one(@Param('instance') id: string, @Param('publish') publishId: string): Promise<PublishDetail> {
    const instance = await this.push.find(id);
    const { publishes } = this.push.parts;
    const publish = await publishes.find(instance.id, publishId);
    const shown = this.shown(publish, await publishes.status(instance.id, publishId));
    return { ...shown, body: this.settings.hidePayloads ? null : publish.payloads };
  }

  @Get('publishes/:publish/outcomes')
  async outcomes(@Param('instance') id: string, @Param('publish') publishId: string, @Query() given: AskedOutcomes) {
    const instance = await this.push.find(id);
    const after = typeof given['cursor'] === 'string' ? given['cursor'] : '';
    const outcome = outcomeIn(given['outcome']);
    const query = { after, limit: maxOutcomes, ...(outcome && { outcome }) };
    const { devices, next = null } = await this.push.parts.publishes.outcomes(instance.id, publishId, query);
    return { outcomes: devices.map(shownOutcome), next };
  }

  /** Asks a gateway whether it accepts credentials that are not saved yet. */
  @Post('check')
  @HttpCode(200)
  async check(@Param('instance') id: string, @JsonBody() given: JsonObject): Promise<GatewayCheck> {
    const instance = await this.push.find(id);
    const platform = platforms.find((each) => each === given['platform']);
    if (!platform) throw badRequest(`platform must be one of ${platforms.join(', ')}.`);
    const credentials = withHidden(objectIn(given['credentials']), instance[platform], platform);
    const candidate = { id: instance.id, secretKey: instance.secretKey, [platform]: credentials };
    const fault = faultIn(candidate);
    if (fault !== undefined) return { isAccepted: false, says: fault };
    return checkGateway(this.push.parts.gateways.of(platform), platform, settingsOf(Instance, candidate));
  }

  /** The devices of a publish that is not sent yet. */
  @Post('reach')
  @HttpCode(200)
  async reach(@Param('instance') id: string, @JsonBody() given: JsonObject): Promise<Reach> {
    const instance = await this.push.find(id);
    const { target, payloads } = publishOf(instance.id, publishIn(given), Date.now());
    return reachOf(instance, target, payloads, this.push.parts.devices);
  }

  @Post('publishes')
  @HttpCode(200)
  async publish(@Param('instance') id: string, @JsonBody() given: JsonObject) {
    const instance = await this.push.find(id);
    const publish = publishIn(given);
    const { publishAt } = given;
    if (publishAt !== undefined && typeof publishAt !== 'number')
      throw badRequest('publishAt must be a time in epoch milliseconds.');
    const options = publishAt === undefined ? {} : { publishAt: new Date(publishAt) };
    const { publishes } = this.push.parts;
    return 'users' in publish
      ? publishes.publishToUsers(instance.id, publish, options)
      : publishes.publishToInterests(instance.id, publish, options);
  }

  @Post('publishes/:publish/cancel')
  @HttpCode(204)
  async cancel(@Param('instance') id: string, @Param('publish') publishId: string): Promise<void> {
    const instance = await this.push.find(id);
    await this.push.parts.publishes.cancel(instance.id, publishId);
  }

  private shown(publish: Publish, status: PublishStatus) {
    return shownPublish(publish, status, this.settings.hidePayloads);
  }
}

type AskedOutcomes = Readonly<Record<string, unknown>>;

/** @throws ConsoleError 400 */
function outcomeIn(given: unknown): DeviceOutcome['outcome'] | undefined {
  if (given === undefined || given === '') return undefined;
  if (given !== 'sent' && given !== 'failed' && given !== 'retrying')
    throw badRequest('outcome must be sent, failed or retrying.');
  return given;
}

/** @throws ApiError 422, or ConsoleError 400 */
function publishIn({ interests, users, body }: JsonObject) {
  const audience = users === undefined ? { interests } : { users };
  return checkedPublish({ ...objectIn(body), ...audience });
}

/** @throws ConsoleError 400 */
function objectIn(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest('body must be an object.');
  return body;
}

/** @throws ConsoleError 400 with the words of `forRoot` */
/** What is wrong with the settings of an instance, such as a key that cannot be read. */
function faultIn(given: object): string | undefined {
  try {
    settingsOf(Instance, given);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
