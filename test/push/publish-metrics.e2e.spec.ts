import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PublishMetrics, PublishOutbox, SendLater } from 'rookery/publish';
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

it('counts publishes, the outcomes of their notifications, and the attempts of their webhooks', async () => {
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

it('has at most 100 reasons of gateways', async () => {
  for (let index = 0; index < 110; index += 1) await app.registered(['wordy']);
  let words = 0;
  app.gateways.fcm.answer = () => ({ outcome: 'rejected', reason: `word ${(words += 1)}` });
  const { json } = await app.publish({ interests: ['wordy'], fcm: {} });
  await finished(json.publishId);
  const reasons = (await metrics()).filter((line) => line.startsWith('rookery_publish_failed_total{'));
  expect(reasons).toHaveLength(101);
  expect(reasons.some((line) => line.includes('reason="other"'))).toBe(true);
});

it('counts by instance too', async () => {
  const lines = await metrics();
  for (const what of ['publishes', 'sent', 'failed'])
    expect(lines.filter((line) => line.startsWith(`rookery_publish_instance_${what}_total{`))).toEqual([
      expect.stringContaining(`{beams_instance="${instance.id}"}`),
    ]);
});

describe('without a worker', () => {
  let full: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    full = await startPublishApp({ instances: [instance], publish: { worker: false, maxWaitingPublishes: 2 } });
  });
  afterAll(() => full.close());

  const told = () => full.app.get(PublishMetrics).registry.metrics();
  const publish = () => full.publish({ interests: ['news'], fcm: {} });

  it('reports how many publishes wait, and since when', async () => {
    expect(await told()).toContain('rookery_publish_oldest_waiting_seconds 0\n');
    for (let count = 0; count < 2; count += 1) expect((await publish()).status).toBe(200);
    await until(async () => (await told()).includes('rookery_publish_waiting_publishes 2\n'), 'both are counted');
    await until(async () => /oldest_waiting_seconds [\d.]*[1-9]/.test(await told()), 'they grow old');
  });

  it('accepts no more than the setting allows', async () => {
    const { status, json, headers } = await publish();
    expect({ status, json }).toEqual({
      status: 429,
      json: { error: 'Rate Limited', description: 'Too many publishes are waiting to be sent.' },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('serves the other metrics while the storage is unavailable', async () => {
    vi.spyOn(full.app.get<PublishOutbox>(PublishOutbox).jobs, 'backlog').mockRejectedValue(new Error('away'));
    await until(async () => (await told()).includes('rookery_publish_waiting_publishes Nan\n'), 'there is no figure');
    expect(await told()).toContain('rookery_publish_publishes_total{to="interests"} 2');
  });
});
