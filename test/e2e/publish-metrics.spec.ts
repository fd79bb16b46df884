import { afterAll, beforeAll, expect, it } from 'vitest';
import { PublishMetrics, SendLater } from 'rookery/publish';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let app: Awaited<ReturnType<typeof startPublishApp>>;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await startPublishApp({ instances: [instance], publish: { allowPrivateNetwork: true, firstRetryMs: 1 } });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const metrics = async () => (await app.app.get(PublishMetrics).registry.metrics()).split('\n');
const finished = (id: string) => until(async () => (await app.status(id)).state === 'finished', `${id} has finished`);

it('counts publishes, what became of their notifications, and the tries of their webhooks', async () => {
  const names = ['delivered', 'rejected', 'gone', 'busy'];
  for (const name of names) await app.registered(['news'], name);
  let tries = 0;
  app.gateways.fcm.answer = ({ token }) => {
    if (token === 'busy' && (tries += 1) === 1) throw new SendLater('UNAVAILABLE');
    if (token === 'rejected') return { outcome: 'rejected', reason: 'INVALID_ARGUMENT' };
    return token === 'gone' ? { outcome: 'unregistered' } : { outcome: 'delivered' };
  };
  const publish = { interests: ['news'], webhookUrl: receiver.url('/hook'), fcm: { data: { a: 'b' } } };
  const headers = { 'idempotency-key': 'once' };
  const { json } = await app.publish(publish, headers);
  await app.publish(publish, headers);
  await app.publish({ users: ['nobody'], fcm: {} }, {}, '/users');
  await finished(json.publishId);
  await until(() => receiver.at('/hook').length === 2, 'both webhooks come');

  await until(
    async () => (await metrics()).includes('rookery_publish_webhook_tries_total{outcome="accepted"} 2'),
    'both',
  );
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      'rookery_publish_publishes_total{to="interests"} 1',
      'rookery_publish_publishes_total{to="users"} 1',
      'rookery_publish_sent_total{platform="fcm"} 2',
      'rookery_publish_failed_total{platform="fcm",reason="INVALID_ARGUMENT"} 1',
      'rookery_publish_failed_total{platform="fcm",reason="unregistered"} 1',
      'rookery_publish_put_off_total{platform="fcm"} 1',
      'rookery_publish_removed_devices_total{platform="fcm"} 1',
    ]),
  );
});

it('makes no more than 100 reasons of what gateways say', async () => {
  for (let index = 0; index < 110; index += 1) await app.registered(['wordy']);
  let words = 0;
  app.gateways.fcm.answer = () => ({ outcome: 'rejected', reason: `word ${(words += 1)}` });
  const { json } = await app.publish({ interests: ['wordy'], fcm: {} });
  await finished(json.publishId);
  const reasons = (await metrics()).filter((line) => line.startsWith('rookery_publish_failed_total{'));
  expect(reasons).toHaveLength(101);
  expect(reasons.some((line) => line.includes('reason="other"'))).toBe(true);
});
