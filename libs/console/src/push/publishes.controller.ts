import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { type JsonObject, settingsOf, withHidden } from 'rookery/internal/common';
import { ApiError, JsonBody } from 'rookery/internal/http';
import {
  checkedPublish,
  type DeviceOutcome,
  type Publish,
  publishOf,
  type PublishStatus,
} from 'rookery/internal/publish';
import { Instance, platforms } from 'rookery/push-device';
import { ConsoleController } from '../access/console.guard.js';
import type { GatewayCheck, Preview, PublishDetail, Publishes, Reach } from '../contract/index.js';
import { ConsoleSettings } from '../console.options.js';
import { badRequest } from '../console.errors.js';
import { pageOf, placeIn } from '../page.js';
import { checkGateway } from './gateway-check.js';
import { previewOf } from './preview.js';
import { reachOf } from './reach.js';
import { InInstance } from './instance-in-path.js';
import { PushServices } from './push-services.js';
import { cursorOf, shownOutcome, shownPublish } from './shown-publish.js';

const pageSize = 20;
const maxOutcomes = 100;

/** `/console/api/instances/:id/preview` and `…/publishes` */
@ConsoleController('instances/:instance')
export class ConsolePublishesController {
  constructor(
    private readonly push: PushServices,
    private readonly settings: ConsoleSettings,
  ) {}

  /** Errors in the payloads are a part of the answer. */
  @Post('preview')
  @HttpCode(200)
  async preview(@InInstance() instance: Instance, @JsonBody() { body }: JsonObject): Promise<Preview> {
    try {
      const publish = publishOf(instance.id, checkedPublish({ interests: ['preview'], ...objectIn(body) }), Date.now());
      return previewOf(instance.id, publish.payloads, Date.now());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { apns: null, fcm: null, web: null, errors: [error.message] };
    }
  }

  @Get('publishes')
  async list(@InInstance() instance: Instance, @Query('cursor') cursor: unknown): Promise<Publishes> {
    const { publishes } = this.push.parts;
    const before = placeIn(cursor, 'createdAt', /^pubid-[\da-f-]{36}$/);
    const { rows, next } = pageOf(await publishes.latest(instance.id, pageSize + 1, before), cursorOf, pageSize);
    const shown = await Promise.all(
      rows.map(async (publish) => this.shown(publish, await publishes.status(instance.id, publish.id))),
    );
    return { publishes: shown, next };
  }

  @Get('publishes/:publish')
  async one(@InInstance() instance: Instance, @Param('publish') publishId: string): Promise<PublishDetail> {
    const { publishes } = this.push.parts;
    const publish = await publishes.find(instance.id, publishId);
    const shown = this.shown(publish, await publishes.status(instance.id, publishId));
    return { ...shown, body: this.settings.hidePayloads ? null : publish.payloads };
  }

  @Get('publishes/:publish/outcomes')
  async outcomes(@InInstance() instance: Instance, @Param('publish') publishId: string, @Query() given: AskedOutcomes) {
    const after = typeof given['cursor'] === 'string' ? given['cursor'] : '';
    const outcome = outcomeIn(given['outcome']);
    const query = { after, limit: maxOutcomes, ...(outcome && { outcome }) };
    const { devices, next = null } = await this.push.parts.publishes.outcomes(instance.id, publishId, query);
    return { outcomes: devices.map(shownOutcome), next };
  }

  /** Asks a gateway whether it accepts credentials that are not saved yet. */
  @Post('check')
  @HttpCode(200)
  async check(@InInstance() instance: Instance, @JsonBody() given: JsonObject): Promise<GatewayCheck> {
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
  async reach(@InInstance() instance: Instance, @JsonBody() given: JsonObject): Promise<Reach> {
    const { target, payloads } = publishOf(instance.id, publishIn(given), Date.now());
    return reachOf(instance, target, payloads, this.push.parts.devices);
  }

  @Post('publishes')
  @HttpCode(200)
  async publish(@InInstance() instance: Instance, @JsonBody() given: JsonObject) {
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
  async cancel(@InInstance() instance: Instance, @Param('publish') publishId: string): Promise<void> {
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
function publishIn({ interests, allOf, noneOf, users, body }: JsonObject) {
  const audience = users === undefined ? { interests, allOf, noneOf } : { users };
  return checkedPublish({ ...objectIn(body), ...audience });
}

/** @throws ConsoleError 400 */
function objectIn(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest('body must be an object.');
  return body;
}

/** What is wrong with the settings of an instance, such as a key that cannot be read. */
function faultIn(given: object): string | undefined {
  try {
    settingsOf(Instance, given);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
