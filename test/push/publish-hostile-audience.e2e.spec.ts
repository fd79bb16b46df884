import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PublishModule, WebPushGateway } from 'rookery/publish';
import { DevicesService, type Instance, MemoryDeviceRepository, PushDeviceModule } from 'rookery/push-device';
import { api } from '../support/publish-app.js';
import { instance, otherInstance, startApp } from '../support/push-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const keys = createECDH('prime256v1');
const p256dh = keys.generateKeys('base64url');
const web = {
  vapidPublicKey: p256dh,
  vapidPrivateKey: keys.getPrivateKey('base64url'),
  subject: 'mailto:tests@rookery.example',
};
const [hostile, other] = [instance, otherInstance].map((each): Instance => ({ ...each, web })) as [Instance, Instance];

/** Accepts on every address of this machine, and never answers. */
const sockets = new Set<Socket>();
let givenUp = 0;
const silent = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined).on('close', () => (givenUp += 1));
  socket.resume();
});
const endSilence = () => {
  silent.close();
  for (const socket of sockets) socket.destroy();
};
let lively: WebhookReceiver;
beforeAll(async () => {
  await new Promise<void>((listening) => silent.listen(0, '0.0.0.0', listening));
  lively = await WebhookReceiver.start();
});
afterAll(async () => {
  endSilence();
  await lively.close();
});

const tokenAt = (endpoint: string): string =>
  btoa(JSON.stringify({ endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }));

it('pushes for one instance while 1,200 push services of another never answer', async () => {
  const devices = new MemoryDeviceRepository();
  const { app, call, close } = await startApp([
    PushDeviceModule.forRoot({ instances: [hostile, other], allowPrivateNetwork: true, deviceRepository: devices }),
    // A busy machine needs longer than the three seconds after which a silent service is given up.
    PublishModule.forRoot({
      pollMs: 20,
      webGateway: new WebPushGateway({ allowPrivateNetwork: true, firstTimeoutMs: 60_000 }),
    }),
  ]);
  const service = app.get(DevicesService, { strict: false });
  const subscribed = async ({ id }: Instance, endpoint: string) => {
    const device = await service.register(id, { platform: 'web', token: tokenAt(endpoint), metadata: {} });
    await devices.addInterest(id, 'web', device.id, 'news');
  };
  const { port } = silent.address() as AddressInfo;
  for (let i = 0; i < 1200; i += 1) await subscribed(hostile, `http://127.1.${i >> 8}.${i & 255}:${port}/push`);
  for (let i = 0; i < 5; i += 1) await subscribed(other, lively.url(`/push/${i}`));
  const publish = { interests: ['news'], web: { notification: { title: 'hi' } } };

  const stalled = api(call, hostile);
  const { publishId: stalledId } = (await stalled.publish(publish)).json;
  await until(() => sockets.size >= 200, 'all its sends wait for answers');
  const { publish: send, status } = api(call, other);
  const { publishId } = (await send(publish)).json;
  await until(async () => (await status(publishId)).state === 'finished', 'the other has finished');

  expect((await status(publishId)).platforms.web).toMatchObject({ sent: 5, failed: {} });
  // No send had to be given up first to make room.
  expect(givenUp).toBe(0);
  expect(await stalled.status(stalledId)).toMatchObject({ state: 'sending' });
  endSilence();
  await close();
}, 60_000);
