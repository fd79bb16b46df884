import { Inject, Injectable, Logger, type Type } from '@nestjs/common';
import { isObject, traced } from '#common';
import { checkedBody, jsonIn } from '#http';
import type { HostTransaction } from 'rookery/jobs';
import { type Instance, InstanceRepository, type Platform, platforms } from 'rookery/push-device';
import { objectOr } from './delivery/json.js';
import type { PlatformPayload } from './delivery/push.gateway.js';
import { shortened } from './delivery/shortened.js';
import { Deliveries } from './fan-out/deliveries.js';
import {
  alreadyFinished,
  instanceNotFound,
  invalidPublishAt,
  keyConflict,
  publishNotFound,
  undeliverable,
  unprocessable,
} from './publish.errors.js';
import { PublishMetrics } from './metrics.js';
import { fingerprint } from './outbox/fingerprint.js';
import { DuePublishes } from './outbox/due-publishes.js';
import { BacklogWatch } from './outbox/backlog-watch.js';
import { type OutcomeQuery, type ReportedOutcomes, withReports } from './outbox/device-outcome.js';
import { type OnceKey, PublishOutbox, type PublishCursor } from './outbox/publish.outbox.js';
import { bodyOf, isPublishId, type Publish, publishOf } from './publish.js';
import { InterestsPublish, UsersPublish } from './publish-body.js';
import { type Clock, publishClock, PublishSettings } from './publish.options.js';
import { type PublishStatus, statusOf } from './publish-status.js';

export interface PublishRequestOptions {
  /** A repeat with the same key within 24 hours returns the first publish and sends nothing (api § Idempotency-Key). */
  readonly idempotencyKey?: string;
  /** When to send it, at most 28 days ahead; a past time means now (api § Publish-At). */
  readonly publishAt?: Date;
  /**
   * A transaction of the host's own on the database of the PublishOutbox: TypeORM's EntityManager. The publish exists
   * if and only if the transaction commits.
   */
  readonly within?: HostTransaction;
  /**
   * Accepts the publish although the payload of a platform is too large for its push service: only the other platforms
   * are then sent to. @default false: it is refused with 422
   */
  readonly partly?: boolean;
  /**
   * Cuts the longest shown text of a payload that is too large for its push service, with `…`. A number leaves so many
   * bytes free. @default false
   */
  readonly shorten?: boolean | number;
}

/** A publish that has passed all checks. The caller adds it to the outbox, in the same transaction as its own data. */
export interface PreparedPublish {
  readonly publish: Publish;
  readonly outbox: PublishOutbox;
  /** To be called once it is added: it is counted, and a worker begins with it. */
  readonly added: () => void;
}

/** api § Publish-At: 28 days. */
const longestDelayMs = 28 * 86_400_000;

/** The publish API for the host's own code: the same checks, results and errors, without HTTP. */
@Injectable()
export class PublishService {
  private readonly logger = new Logger('Publishes');

  constructor(
    private readonly instances: InstanceRepository,
    private readonly outbox: PublishOutbox,
    private readonly due: DuePublishes,
    private readonly deliveries: Deliveries,
    private readonly settings: PublishSettings,
    private readonly metrics: PublishMetrics,
    private readonly backlog: BacklogWatch,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  /**
   * Publishes to every device subscribed to any of the interests, to all of `allOf` and to none of `noneOf`, once each.
   * Resolves when the publish is durable.
   */
  async publishToInterests(instanceId: string, publish: InterestsPublish, options: PublishRequestOptions = {}) {
    return this.accept(await this.instance(instanceId), written(InterestsPublish, publish), options);
  }

  /** Publishes to every device of the users. Resolves when the publish is durable. */
  async publishToUsers(instanceId: string, publish: UsersPublish, options: PublishRequestOptions = {}) {
    return this.accept(await this.instance(instanceId), written(UsersPublish, publish), options);
  }

  /** Checks a publish as {@link publishToUsers} does, and leaves it to the caller to add it. */
  async prepareForUsers(
    instanceId: string,
    body: UsersPublish,
    options: Pick<PublishRequestOptions, 'partly' | 'shorten'> = {},
  ): Promise<PreparedPublish> {
    const checked = await this.check(await this.instance(instanceId), written(UsersPublish, body), options);
    const [publish, work] = begun(checked);
    const added = (): void => {
      work?.end();
      this.added(publish);
    };
    return { publish, outbox: this.outbox, added };
  }

  /** The progress of a publish, with counts for each platform. */
  async status(instanceId: string, publishId: string): Promise<PublishStatus> {
    const { id } = await this.instance(instanceId);
    const record = isPublishId(publishId) ? await this.outbox.find(id, publishId) : undefined;
    if (!record) throw publishNotFound();
    const [reports, waiting] = await Promise.all([this.outbox.reports(publishId), this.outbox.waiting(publishId)]);
    return statusOf(record, reports, waiting, this.now());
  }

  /**
   * Returns at most `limit` publishes of an instance, newest first, only those that come after `after`; see
   * {@link PublishOutbox}.
   */
  async latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    const { id } = await this.instance(instanceId);
    return this.outbox.latest(id, limit, after);
  }

  /** Returns a publish as it was accepted. */
  async find(instanceId: string, publishId: string): Promise<Publish> {
    const { id } = await this.instance(instanceId);
    const record = isPublishId(publishId) ? await this.outbox.find(id, publishId) : undefined;
    if (!record) throw publishNotFound();
    return record.publish;
  }

  /**
   * Returns the outcomes of a publish's devices found so far, in the order of device ids, with what the devices have
   * reported. A page with a `next` may have fewer devices than its limit.
   */
  async outcomes(instanceId: string, publishId: string, query: OutcomeQuery): Promise<ReportedOutcomes> {
    const { id } = await this.instance(instanceId);
    const record = isPublishId(publishId) ? await this.outbox.find(id, publishId) : undefined;
    if (!record) throw publishNotFound();
    const page = await this.outbox.outcomes(publishId, query);
    const reports = await this.outbox.reportsOf(
      publishId,
      page.devices.map(({ deviceId }) => deviceId),
    );
    return { ...page, devices: page.devices.map((device) => withReports(device, reports)) };
  }

  /**
   * Cancels a scheduled or current publish; sends in progress finish and count. Returns the publish's status.
   * Cancelling again is harmless; a finished publish is refused with 409.
   */
  async cancel(instanceId: string, publishId: string): Promise<PublishStatus> {
    const { id } = await this.instance(instanceId);
    const outcome = isPublishId(publishId) ? await this.outbox.cancel(id, publishId, this.now()) : 'unknown';
    if (outcome === 'unknown') throw publishNotFound();
    if (outcome === 'finished') throw alreadyFinished();
    this.due.announce();
    return this.status(id, publishId);
  }

  /** Accepts a checked publish. */
  async accept(
    instance: Instance,
    body: InterestsPublish | UsersPublish,
    options: PublishRequestOptions,
  ): Promise<{ readonly publishId: string }> {
    const [publish, work] = begun(await this.check(instance, body, options));
    return work ? work.until(this.add(publish, options)) : this.add(publish, options);
  }

  private async check(
    instance: Instance,
    body: InterestsPublish | UsersPublish,
    { publishAt, partly, shorten = false }: PublishRequestOptions,
  ): Promise<Publish> {
    // An invalid Date is NaN, for which every comparison is false.
    if (publishAt && !(publishAt.getTime() <= this.now() + longestDelayMs)) throw invalidPublishAt();
    const given = publishOf(instance.id, body, this.now(), publishAt?.getTime());
    const publish = shorten === false ? given : this.shortened(given, instance, Number(shorten));
    this.deliveries.check(publish);
    if (partly) this.reportUndeliverable(publish, instance);
    else this.assertDeliverable(publish, instance);
    await this.backlog.assertRoom();
    return publish;
  }

  private assertDeliverable(publish: Publish, instance: Instance): void {
    for (const platform of platforms) {
      const reason = this.refusalOf(publish, instance, platform);
      if (reason !== undefined) throw undeliverable(platform, reason);
    }
  }

  private reportUndeliverable(publish: Publish, instance: Instance): void {
    for (const platform of platforms) {
      const reason = this.refusalOf(publish, instance, platform);
      if (reason !== undefined) this.logger.warn(`${publish.id} is not sent to ${platform}: ${reason}`);
    }
  }

  private refusalOf(publish: Publish, instance: Instance, platform: Platform): string | undefined {
    if (publish.payloads[platform] === undefined) return undefined;
    return this.deliveries.refusalOf({ publish, instance }, platform);
  }

  /** @param spareBytes - to leave free in each payload */
  private shortened(publish: Publish, instance: Instance, spareBytes: number): Publish {
    const payloads = { ...publish.payloads };
    for (const platform of platforms) {
      const given = payloads[platform];
      if (given === undefined) continue;
      const fits = (payload: PlatformPayload): boolean => {
        const data = { ...objectOr(payload['data']), spare: 'x'.repeat(spareBytes) };
        const spared = { ...payload, ...(spareBytes > 1 && { data }) };
        const made = { ...publish, payloads: { [platform]: spared } };
        return this.refusalOf(made, instance, platform) !== 'PayloadTooLarge';
      };
      if (!fits(given)) payloads[platform] = shortened(platform, given, fits);
    }
    return { ...publish, payloads };
  }

  private async add(
    publish: Publish,
    { idempotencyKey, publishAt, within: transaction }: PublishRequestOptions,
  ): Promise<{ readonly publishId: string }> {
    const once = idempotencyKey === undefined ? undefined : this.onceKey(publish, idempotencyKey, publishAt);
    const within = transaction && { transaction, committed: () => this.added(publish) };
    const { outcome, publishId } = await this.outbox.add(publish, once, within);
    if (outcome === 'conflict') throw keyConflict();
    if (outcome === 'added' && !within) this.added(publish);
    return { publishId };
  }

  private added(publish: Publish): void {
    this.metrics.accepted(publish);
    this.due.announce();
  }

  private onceKey(publish: Publish, key: string, publishAt: Date | undefined): OnceKey {
    const kind = publish.target.users ? 'users' : 'interests';
    // A body has no such key, so the fingerprint cannot match another request's.
    const print = fingerprint(kind, { ...bodyOf(publish), ...(publishAt && { publishAt: publishAt.getTime() }) });
    return { key, fingerprint: print, expiresAt: publish.createdAt + this.settings.idempotencyMs };
  }

  private async instance(id: string): Promise<Instance> {
    const instance = await this.instances.find(id);
    if (!instance) throw instanceNotFound();
    return instance;
  }
}

/** A publish with its trace, if the host traces. */
function begun(publish: Publish) {
  const attributes = { 'rookery.instance': publish.instanceId, 'rookery.publish': publish.id };
  const work = traced('rookery publish', 'PRODUCER', attributes);
  return [work ? { ...publish, traceparent: work.traceparent } : publish, work] as const;
}

/** @throws ApiError 422 for a body that breaks a rule, or has no JSON */
function written<Body extends object>(of: Type<Body>, body: Body): Body {
  if (isObject(body)) jsonIn('The publish', body, unprocessable);
  return checkedBody(of, body);
}
