import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApnsGateway, type PublishOptions } from 'rookery/publish';
import { DeviceRepository } from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { type ApnsAnswer, type StandInApns, standInApns } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

let production: StandInApns;
let sandbox: StandInApns;
let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeEach(async () => {
  production = await standInApns();
  sandbox = await standInApns({ beside: production });
  await serve({});
});
afterEach(async () => {
  await app.close();
  await Promise.all([production.close(), sandbox.close()]);
});

async function serve(publish: PublishOptions, sandboxEndpoint = sandbox.url): Promise<void> {
  if (app as typeof app | undefined) await app.close();
  app = await startPublishApp({
    instances: [{ ...instance, apns: { ...production.credentials, sandboxEndpoint } }],
    publish: { apnsGateway: new ApnsGateway({ ca: authority, timeoutMs: 1000 }), firstRetryMs: 20, ...publish },
  });
}

const devices = `/device_api/v1/instances/${instance.id}/devices/apns`;
const bad: ApnsAnswer = { status: 400, reason: 'BadDeviceToken' };
const [ofXcode, ofStore, malformed] = ['aa', 'bb', 'cc'].map((digits) => digits.repeat(32)) as [string, string, string];

const post = (token: string, more: object = {}) =>
  app.call('POST', devices, { body: { token, bundleIdentifier: 'com.example.app', ...more } });

/** Registers a device, answers its id. */
async function register(token: string, more: object = {}): Promise<string> {
  const { json } = await post(token, more);
  await app.call('POST', `${devices}/${json.id}/interests/news`);
  return json.id as string;
}

/** As Apple: each environment knows only its own tokens. */
function issued({ by, tokens }: { readonly by: StandInApns; readonly tokens: readonly string[] }): void {
  const other = by === production ? sandbox : production;
  for (const token of tokens) other.answer(token, bad);
}

async function published(apns: object = { aps: { alert: 'Hello' } }) {
  const { json } = await app.publish({ interests: ['news'], apns });
  await until(async () => (await app.status(json.publishId)).state === 'finished', 'the publish has finished');
  return (await app.status(json.publishId)).platforms.apns;
}

const asked = (apple: StandInApns, token: string) => apple.received.filter((one) => one.token === token).length;
const deviceOf = async (id: string) => app.app.get(DeviceRepository, { strict: false }).find(instance.id, 'apns', id);

describe("an instance with Apple's sandbox beside production", () => {
  it('reaches builds of Xcode and of the App Store, and remembers which is which', async () => {
    issued({ by: sandbox, tokens: [ofXcode] });
    const [xcode, store] = [await register(ofXcode), await register(ofStore)];
    expect(await published()).toMatchObject({ audience: 2, sent: 2, failed: {}, removedDevices: 0 });
    expect(await published()).toMatchObject({ audience: 2, sent: 2, failed: {}, removedDevices: 0 });
    expect([asked(production, ofXcode), asked(sandbox, ofXcode)]).toEqual([1, 2]);
    expect([asked(production, ofStore), asked(sandbox, ofStore)]).toEqual([2, 0]);
    expect((await deviceOf(xcode))?.environment).toBe('sandbox');
    expect((await deviceOf(store))?.environment).toBeUndefined();
  });

  it('asks only the environment that a device names', async () => {
    issued({ by: sandbox, tokens: [ofXcode, malformed] });
    await register(ofXcode, { environment: 'sandbox' });
    await register(malformed, { environment: 'production' });
    expect(await published()).toMatchObject({ sent: 1, failed: { unregistered: 1 } });
    expect([asked(production, ofXcode), asked(sandbox, ofXcode)]).toEqual([0, 1]);
    expect([asked(production, malformed), asked(sandbox, malformed)]).toEqual([1, 0]);
  });

  it('refuses a registration that names no environment of Apple', async () => {
    expect(await post(ofXcode, { environment: 'debug' })).toMatchObject({
      status: 400,
      json: { description: 'The environment must be production or sandbox.' },
    });
  });

  it('removes a device that neither knows; one that must stay is not tried in both again', async () => {
    await serve({ deletionGuardDevices: 1, deletionGuardShare: 0.1 });
    for (const apple of [production, sandbox]) apple.answer(malformed, bad);
    const id = await register(malformed);
    await register(ofStore);
    expect(await published()).toMatchObject({ sent: 1, failed: { unregistered: 1 }, removedDevices: 0 });
    expect(await published()).toMatchObject({ sent: 1, failed: { unregistered: 1 }, removedDevices: 0 });
    expect([asked(production, malformed), asked(sandbox, malformed)]).toEqual([2, 1]);
    await register(malformed);
    expect((await deviceOf(id))?.environment).toBeUndefined();
    await serve({});
    await register(malformed);
    await register(ofStore);
    expect(await published()).toMatchObject({ sent: 1, failed: { unregistered: 1 }, removedDevices: 1 });
  });

  it('sends on to production while the sandbox refuses the key, and removes no device', async () => {
    const xcode = Array.from({ length: 20 }, (_, at) => (at + 1).toString(16).padStart(64, '0'));
    const store = Array.from({ length: 20 }, (_, at) => (at + 100).toString(16).padStart(64, '0'));
    issued({ by: sandbox, tokens: xcode });
    sandbox.answerAll({ status: 403, reason: 'BadEnvironmentKeyInToken' });
    await Promise.all([...xcode, ...store].map((token) => register(token)));
    const { explanations, ...platform } = await published();
    expect(platform).toMatchObject({ sent: 20, failed: { RefusedBySandbox: 20 }, retrying: 0, removedDevices: 0 });
    expect(platform).not.toHaveProperty('fault');
    expect(explanations[0].meaning).toMatch(/sandbox refuses the key/);
    sandbox.answerAll();
    expect(await published()).toMatchObject({ sent: 40, failed: {} });
  });

  it('sends in the sandbox while production refuses the key, which stays a fault of production', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        await register((at + 1).toString(16).padStart(64, '0'), { environment: 'sandbox' });
        await register((at + 100).toString(16).padStart(64, '0'));
      }),
    );
    production.answerAll({ status: 403, reason: 'InvalidProviderToken' });
    const { json } = await app.publish({ interests: ['news'], apns: { aps: { alert: 'Hello' } } });
    const state = async () => (await app.status(json.publishId)).platforms.apns;
    await until(async () => (await state()).fault !== undefined && (await state()).sent === 20, 'both are known');
    expect(await state()).toMatchObject({ sent: 20, retrying: 20, failed: {}, removedDevices: 0 });
    production.answerAll();
    await until(async () => (await state()).sent === 40, 'all were sent');
  });

  it('tries again later while the sandbox cannot be reached', async () => {
    issued({ by: sandbox, tokens: [ofXcode] });
    sandbox.answer(ofXcode, { hangUp: true }, { status: 200 });
    await register(ofXcode);
    production.answer(ofXcode, bad, bad);
    expect(await published()).toMatchObject({ sent: 1, failed: {}, removedDevices: 0 });
  });

  it('does not start activities there that listen to a channel of production', async () => {
    await register(ofXcode, { environment: 'sandbox', startToken: 'dd'.repeat(32) });
    await register(ofStore, { startToken: 'ee'.repeat(32) });
    const aps = {
      event: 'start',
      'attributes-type': 'Match',
      attributes: {},
      'content-state': {},
      alert: { title: 'A' },
    };
    expect(await published({ aps })).toMatchObject({ sent: 1, failed: { ChannelOfProduction: 1 } });
    expect(sandbox.received).toEqual([]);
  });
});
