import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type TestedWebhook, testedWebhook, webhookDelivery, WebhookSender } from '#webhooks';
import type { Instance, InstanceWebhook } from 'rookery/push-device';
import { type Clock, publishClock } from '../publish.options.js';
import { type InstanceEvent, instanceEventRequest } from './instance-event.js';

/** Sends one made-up event to a webhook of an instance, at once and once only. */
@Injectable()
export class PublishWebhookTestService {
  constructor(
    @Inject(WebhookSender) private readonly sender: Pick<WebhookSender, 'tryOnce'>,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  test(instance: Instance, webhook: InstanceWebhook): Promise<TestedWebhook> {
    const now = this.now();
    const request = instanceEventRequest(instance, webhook, testEvent(instance.id, webhook), randomUUID(), now);
    // Reported as a first attempt, without another one.
    return testedWebhook(this.sender, webhookDelivery({ ...request, expiresAt: now }, now));
  }
}

/** An event that the webhook would get. */
export function testEvent(instanceId: string, { events = [] }: Pick<InstanceWebhook, 'events'>): InstanceEvent {
  const of = { instance_id: instanceId, publish_id: 'pubid-rookery-test' };
  const [type = 'v1.PublishToUsersAttempt'] = events as readonly InstanceEvent['type'][];
  if (type !== 'v1.PublishToUsersAttempt') return { type, payload: { ...of, user_id: 'rookery-test' } };
  const users = { users_delivered_to_gateway: ['rookery-test'], users_no_devices: [], users_gateway_failed: [] };
  return { type, payload: { ...of, ...users } };
}
