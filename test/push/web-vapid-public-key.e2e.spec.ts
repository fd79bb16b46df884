import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instance, otherInstance, startDeviceApi } from '../support/push-app.js';

const vapidPublicKey = 'BPBHQXQnM4Xq5pZ2aZxGyfRkZzA0iBtZ6fS5YVvR1GJ1mE1zXc9hB8yq8tMZ4Zyq0JpQe0iJ8Jv1n2c3d4e5f6g';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  const web = { vapidPublicKey, vapidPrivateKey: 'private', subject: 'mailto:push@example.com' };
  api = await startDeviceApi({ instances: [{ ...instance, web }, otherInstance] });
});
afterAll(() => api.close());

describe('GET web-vapid-public-key', () => {
  it('answers the key that browsers subscribe with, and not the private one', async () => {
    const { status, text } = await api.call('GET', 'web-vapid-public-key');
    expect([status, text]).toEqual([200, JSON.stringify({ vapidPublicKey })]);
  });

  it('is 404 on an instance without web push', async () => {
    const path = `/device_api/v1/instances/${otherInstance.id}/web-vapid-public-key`;
    const { status, json } = await api.callAnywhere('GET', path);
    expect([status, json]).toEqual([
      404,
      { error: 'Not found', description: 'Web push is not configured for this instance' },
    ]);
  });
});
