import { Inject, Injectable } from '@nestjs/common';
import { checkedBody } from 'rookery/common';
import { type Instance, InstanceRepository } from 'rookery/push-device';
import { FanOutWorker } from './fan-out/fan-out.worker.js';
import { instanceNotFound, keyConflict, publishNotFound } from './http/errors.js';
import { PublishMetrics } from './metrics.js';
import { fingerprint } from './outbox/fingerprint.js';
import { type OnceKey, PublishOutbox } from './outbox/publish.outbox.js';
import { bodyOf, type Publish, publishOf } from './publish.js';
import { InterestsPublish, UsersPublish } from './publish-body.js';
import { type Clock, publishClock, PublishSettings } from './publish.options.js';
import { type PublishStatus, statusOf } from './publish-status.js';
import { ReportRepository } from './reports/report.repository.js';

export interface PublishRequestOptions {
  /** A repeat with the same key within 24 hours answers the first publish and sends nothing (api § Idempotency-Key). */
  readonly idempotencyKey?: string;
}

/** What the publish API does, for the host's own code: the same checks, answers and errors, without HTTP. */
@Injectable()
export class PublishService {
  constructor(
    private readonly instances: InstanceRepository,
    private readonly outbox: PublishOutbox,
    private readonly reports: ReportRepository,
    private readonly worker: FanOutWorker,
    private readonly settings: PublishSettings,
    private readonly metrics: PublishMetrics,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  /** To every device subscribed to any of the interests, once each. Answers when the publish is durable. */
  async publishToInterests(instanceId: string, publish: InterestsPublish, options: PublishRequestOptions = {}) {
    return this.accept(await this.instance(instanceId), checkedBody(InterestsPublish, publish), options);
  }

  /** To every device of the users. Answers when the publish is durable. */
  async publishToUsers(instanceId: string, publish: UsersPublish, options: PublishRequestOptions = {}) {
    return this.accept(await this.instance(instanceId), checkedBody(UsersPublish, publish), options);
  }

  /** How far a publish is, with counts for each platform. */
  async status(instanceId: string, publishId: string): Promise<PublishStatus> {
    const { id } = await this.instance(instanceId);
    const record = isPublishId(publishId) ? await this.outbox.find(id, publishId) : undefined;
    if (!record) throw publishNotFound();
    return statusOf(record, await this.reports.counts(publishId), await this.outbox.waiting(publishId));
  }

  /** Takes a publish that was checked. */
  async accept(
    instance: Instance,
    body: InterestsPublish | UsersPublish,
    { idempotencyKey }: PublishRequestOptions,
  ): Promise<{ readonly publishId: string }> {
    const publish = publishOf(instance.id, body, this.now());
    const once = idempotencyKey === undefined ? undefined : this.onceKey(publish, idempotencyKey);
    const { outcome, publishId } = await this.outbox.add(publish, once);
    if (outcome === 'conflict') throw keyConflict();
    if (outcome === 'added') this.added(publish);
    return { publishId };
  }

  private added({ audience }: Publish): void {
    this.metrics.publishes.inc({ to: audience.users ? 'users' : 'interests' });
    this.worker.wake();
  }

  private onceKey(publish: Publish, key: string): OnceKey {
    const kind = publish.audience.users ? 'users' : 'interests';
    const print = fingerprint(kind, bodyOf(publish));
    return { key, fingerprint: print, expiresAt: publish.createdAt + this.settings.idempotencyMs };
  }

  private async instance(id: string): Promise<Instance> {
    const instance = await this.instances.find(id);
    if (!instance) throw instanceNotFound();
    return instance;
  }
}

/** Whether a text can be the id of a publish of ours; no other is looked up. */
export const isPublishId = (text: string): boolean => /^pubid-[0-9a-f-]{36}$/.test(text);
