import { Inject, Injectable } from '@nestjs/common';
import { Listeners, webhookDelivery, type WebhookRequest, WebhookSender } from '#webhooks';
import { InstanceRepository } from 'rookery/push-device';
import { bestMarks } from '../outbox/user-marks.js';
import { publishFinished } from '../lifecycle/on-publish-finished.js';
import type { Partition } from '../outbox/partition.js';
import type { Publish } from '../publish.js';
import { type Clock, publishClock } from '../publish.options.js';
import { type InstanceEvent, instanceEventRequests } from './instance-event.js';
import { finishedForListener } from './listener-requests.js';
import { finishedRequest, startedRequest } from './webhook-url.js';

/**
 * Queues the webhooks and listener calls of publishes and reports. One queued twice has the same id, so it is sent
 * once.
 */
@Injectable()
export class PublishWebhooks {
  constructor(
    @Inject(WebhookSender) private readonly sender: Pick<WebhookSender, 'send'>,
    private readonly instances: InstanceRepository,
    @Inject(Listeners) private readonly listeners: Pick<Listeners, 'urls'>,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  async started(publish: Publish): Promise<void> {
    await this.add([startedRequest(publish, this.now())]);
  }

  async finished(publish: Publish, partitions: readonly Partition[]): Promise<void> {
    const now = this.now();
    const urls = this.listeners.urls(publishFinished, publish.instanceId);
    const heard = urls.map((url) => finishedForListener(publish, partitions, url, now));
    await this.add([finishedRequest(publish, partitions, now), ...heard]);
  }

  /** Which users a publish to users has reached; those whose devices are tried again have failed for now. */
  async attempted(publish: Publish, partitions: readonly Partition[]): Promise<void> {
    const { users = [] } = publish.target;
    await this.addEvent(publish.instanceId, attemptOf(publish, users, partitions), publish.id);
  }

  /** A user's device has sent a report: `name` is unique to it. */
  async reported(
    type: 'v1.UserNotificationAcknowledgement' | 'v1.UserNotificationOpen',
    { instanceId, publishId, userId }: { instanceId: string; publishId: string; userId: string },
    name: string,
  ): Promise<void> {
    const payload = { instance_id: instanceId, publish_id: publishId, user_id: userId };
    await this.addEvent(instanceId, { type, payload }, name);
  }

  private async addEvent(instanceId: string, event: InstanceEvent, name: string): Promise<void> {
    const instance = await this.instances.find(instanceId);
    if (instance) await this.add(instanceEventRequests(instance, event, `${name} ${event.type}`, this.now()));
  }

  private async add(requests: readonly (WebhookRequest | undefined)[]): Promise<void> {
    const wanted = requests.filter((request) => request !== undefined);
    if (wanted.length > 0) await this.sender.send(wanted.map((request) => webhookDelivery(request, this.now())));
  }
}

function attemptOf(publish: Publish, users: readonly string[], partitions: readonly Partition[]): InstanceEvent {
  const marks = bestMarks(
    partitions.map((partition) => partition.users),
    users.length,
  );
  // Before all devices are tried, a user without a mark may have some.
  const isComplete = partitions.every(({ paged }) => paged);
  const marked = (mark: string): readonly string[] => users.filter((_user, index) => marks[index] === mark);
  return {
    type: 'v1.PublishToUsersAttempt',
    payload: {
      instance_id: publish.instanceId,
      publish_id: publish.id,
      users_delivered_to_gateway: marked('d'),
      users_no_devices: isComplete ? marked('-') : [],
      users_gateway_failed: isComplete ? marked('f') : users.filter((_user, index) => marks[index] !== 'd'),
    },
  };
}
