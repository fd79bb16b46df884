import PushNotifications from '@pusher/push-notifications-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { PublishModule, SendLater } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { api } from '../support/publish-app.js';
import { instance, otherInstance, startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { until } from '../support/until.js';

const password = 'a password for tests';
const gateways = {
  apnsGateway: new ScriptedGateway('apns'),
  fcmGateway: new ScriptedGateway('fcm'),
  webGateway: new ScriptedGateway('web'),
};
let app: Awaited<ReturnType<typeof startApp>>;
let console_: ConsoleClient;
let own: ReturnType<typeof api>;
let others: ReturnType<typeof api>;

beforeAll(async () => {
  app = await startApp([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp] }),
    PushDeviceModule.forRoot({ instances: [instance, otherInstance] }),
    PublishModule.forRoot({ pollMs: 20, ...gateways }),
    ConsoleModule.forRoot({ password }),
  ]);
  console_ = new ConsoleClient(app.port, password);
  own = api(app.call, instance);
  others = api(app.call, otherInstance);
});
afterAll(() => app.close());

const path = `instances/${instance.id}`;
const otherPath = `instances/${otherInstance.id}`;
const fcm = { notification: { title: 'Sale', body: 'today' } };
const idsOf = ({ devices }: { devices: readonly { id: string }[] }): string[] => devices.map(({ id }) => id);

const publish = async (body: object): Promise<string> => {
  const { status, json } = await console_.ask('POST', `${path}/publishes`, body);
  expect(status).toBe(200);
  return json.publishId;
};
const done = (publishId: string) =>
  until(async () => (await console_.get(`${path}/publishes/${publishId}`)).state === 'done', 'it is sent');

describe('devices', () => {
  it('are found by id, by interest and by user, without their tokens', async () => {
    const id = await own.registered(['shoes', 'hats'], 'a-token-of-a-device');
    const { devices, next } = await console_.get(`${path}/devices?device=${id}`);
    expect([devices, next]).toEqual([
      [
        {
          id,
          platform: 'fcm',
          userId: null,
          bundleId: null,
          interests: ['hats', 'shoes'],
          metadata: {},
          lastSeenAt: expect.any(Number) as number,
          goneSince: null,
        },
      ],
      null,
    ]);
    const byInterest = await console_.ask('GET', `${path}/devices?interest=hats`);
    expect(idsOf(byInterest.json)).toEqual([id]);
    expect(byInterest.text).not.toContain('a-token-of-a-device');
    expect(await console_.get(`${path}/devices?interest=gloves`)).toEqual({ devices: [], total: 0, next: null });

    expect(await console_.get(`${path}/devices?user=carol`)).toEqual({ devices: [], total: 0, next: null });
    const sdk = new PushNotifications({ instanceId: instance.id, secretKey: instance.secretKey });
    const headers = { authorization: `Bearer ${sdk.generateToken('carol').token}` };
    const put = await app.call('PUT', `/device_api/v1/instances/${instance.id}/devices/fcm/${id}/user`, { headers });
    expect(put.status).toBe(200);
    expect((await console_.get(`${path}/devices?user=carol`)).devices).toMatchObject([{ id, userId: 'carol' }]);
    expect((await console_.get(`apps/${testApp.id}/users/carol`)).devices).toEqual([
      { instance: instance.id, id, platform: 'fcm' },
    ]);
  });

  it('are listed in pages, the latest registered first', async () => {
    const registered: string[] = [];
    for (let n = 0; n < 30; n++) registered.push(await own.registered(['paged']));
    // One that registers again is the latest.
    const [oldest] = registered;
    await own.registered(['paged'], 'the token of one that comes back');
    const again = await own.registered(['paged'], 'the token of one that comes back');
    registered.push(again);
    const first = await console_.get(`${path}/devices?interest=paged`);
    expect(first.devices).toHaveLength(25);
    const second = await console_.get(`${path}/devices?interest=paged&cursor=${first.next}`);
    expect([first.total, second.total, second.next]).toEqual([31, 31, null]);
    const all = [...first.devices, ...second.devices] as { id: string; lastSeenAt: number }[];
    expect(all.map(({ id }) => id).toSorted()).toEqual(registered.toSorted());
    expect([all[0]!.id, all.at(-1)!.id]).toEqual([again, oldest]);
    const times = all.map(({ lastSeenAt }) => lastSeenAt);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });

  it('are removed', async () => {
    const id = await own.registered(['removed']);
    expect((await console_.ask('DELETE', `${path}/devices/${id}`)).status).toBe(204);
    expect(await console_.get(`${path}/devices?device=${id}`)).toEqual({ devices: [], total: null, next: null });
    expect(await console_.get(`${path}/devices?interest=removed`)).toEqual({ devices: [], total: 0, next: null });
    expect((await console_.ask('DELETE', `${path}/devices/nonsense`)).status).toBe(404);
  });

  it('are listed without a filter, the latest registered first', async () => {
    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { next: string | null; devices: { id: string }[] } = await console_.get(
        `${path}/devices?cursor=${cursor}`,
      );
      all.push(...idsOf(page));
      cursor = page.next;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(30);
    const latest = await own.registered(['late'], 'the-latest');
    await until(async () => idsOf(await console_.get(`${path}/devices`))[0] === latest, 'it is the first');
    expect((await console_.ask('GET', `${path}/devices?cursor=x`)).status).toBe(400);
  });
});

describe('a preview', () => {
  const preview = async (body: unknown) => (await console_.ask('POST', `${path}/preview`, { body })).json;

  it("shows each gateway's request with the added fields, and sends nothing", async () => {
    const sent = gateways.fcmGateway.prepared.length;
    const {
      apns,
      fcm: google,
      web,
      errors,
    } = await preview({
      apns: { aps: { alert: 'Sale' } },
      fcm,
      web: { notification: { title: 'Sale', deep_link: 'https://shop.example/' } },
    });
    expect(errors).toEqual([]);
    expect(apns.body).toMatchObject({ aps: { alert: 'Sale' }, data: { pusher: { publishId: expect.any(String) } } });
    expect(google.message).toMatchObject({
      token: '<token>',
      notification: fcm.notification,
      data: { pusher: expect.stringContaining('publishId') as string },
    });
    expect(web.body).toMatchObject({ notification: { title: 'Sale' }, data: { pusher: expect.anything() as object } });
    expect(gateways.fcmGateway.prepared).toHaveLength(sent);
    expect((await console_.get(`${path}/publishes`)).publishes).toEqual([]);
  });

  it('shows nothing for platforms without a payload', async () => {
    expect(await preview({ fcm })).toMatchObject({ apns: null, web: null, errors: [] });
  });

  it('names the fault in words', async () => {
    const said = async (body: object) => {
      const { errors, ...messages } = await preview(body);
      expect(messages).toEqual({ apns: null, fcm: null, web: null });
      return errors;
    };
    expect(await said({ fcm: 'text' })).toEqual(['`fcm`: Invalid type. Expected: object, given: string']);
    expect(await said({ fcm: { data: { text: 'x'.repeat(5000) } } })).toEqual(['fcm: PayloadTooLarge']);
    expect(await said({})).toEqual([expect.stringMatching(/\w+ \w+ \w+/)]);
    expect((await console_.ask('POST', `${path}/preview`, { body: 'text' })).json).toEqual({
      error: 'body must be an object.',
    });
  });
});

it("lists what was pushed to a user's devices, whichever instance has them", async () => {
  const at = `apps/${testApp.id}/pushes`;
  expect(await console_.get(`${at}?user=quinn`)).toEqual({ pushes: [] });
  expect((await console_.ask('GET', at)).status).toBe(400);
  const device = await own.registered([], 'of-quinn');
  const sdk = new PushNotifications({ instanceId: instance.id, secretKey: instance.secretKey });
  const headers = { authorization: `Bearer ${sdk.generateToken('quinn').token}` };
  await app.call('PUT', `/device_api/v1/instances/${instance.id}/devices/fcm/${device}/user`, { headers });
  const publishId = await publish({ users: ['quinn'], body: { fcm } });
  await done(publishId);
  expect(await console_.get(`${at}?user=quinn`)).toEqual({
    pushes: [
      {
        publishId,
        instance: instance.id,
        platform: 'fcm',
        at: expect.any(Number) as number,
        title: 'Sale',
        outcome: 'sent',
        reason: null,
      },
    ],
  });
});

describe('publishes', () => {
  it('reach the devices of interests, and report their progress and each outcome', async () => {
    const [good, gone, busy] = await Promise.all(
      ['good', 'gone', 'busy'].map((token) => own.registered(['news'], token)),
    );
    gateways.fcmGateway.answer = ({ token }) => {
      if (token === 'busy') throw new SendLater('UNAVAILABLE', 600_000);
      return token === 'gone' ? { outcome: 'unregistered' } : { outcome: 'delivered' };
    };
    const id = await publish({ interests: ['news'], body: { fcm } });
    const progress = async () => (await console_.get(`${path}/publishes/${id}`)).platforms[0];
    await until(
      async () => (await progress()).later === 1 && (await progress()).failed === 1,
      'all were tried',
      30_000,
    );
    const shown = await console_.get(`${path}/publishes/${id}`);
    expect(shown).toMatchObject({ id, interests: ['news'], users: null, body: { fcm } });
    expect(shown.platforms).toMatchObject([{ platform: 'fcm', sent: 1, failed: 1, later: 1 }]);
    const { retryAt, explanations } = shown.platforms[0];
    expect(retryAt).toBeGreaterThan(shown.at + 500_000);
    expect(explanations).toMatchObject([
      { reason: 'unregistered', devices: 1 },
      { reason: 'UNAVAILABLE', devices: 1, action: expect.stringContaining('Rookery retries') },
    ]);
    const { outcomes, next } = await console_.get(`${path}/publishes/${id}/outcomes`);
    expect(next).toBeNull();
    expect(new Map(outcomes.map((each: any) => [each.deviceId, [each.platform, each.outcome, each.reason]]))).toEqual(
      new Map([
        [good, ['fcm', 'sent', null]],
        [gone, ['fcm', 'failed', 'unregistered']],
        [busy, ['fcm', 'retrying', 'UNAVAILABLE']],
      ]),
    );
    gateways.fcmGateway.answer = () => ({ outcome: 'delivered' });
  });

  it('list the outcomes that failed', async () => {
    await Promise.all(['fine', 'worn'].map((token) => own.registered(['some fail'.replace(' ', '-')], token)));
    gateways.fcmGateway.answer = ({ token }) =>
      token === 'worn' ? { outcome: 'rejected', reason: 'INVALID_ARGUMENT' } : { outcome: 'delivered' };
    const id = await publish({ interests: ['some-fail'], body: { fcm } });
    await done(id);
    gateways.fcmGateway.answer = () => ({ outcome: 'delivered' });
    const { outcomes } = await console_.get(`${path}/publishes/${id}/outcomes?outcome=failed`);
    expect(outcomes).toMatchObject([{ outcome: 'failed', reason: 'INVALID_ARGUMENT' }]);
    expect((await console_.ask('GET', `${path}/publishes/${id}/outcomes?outcome=bad`)).status).toBe(400);
    expect(await console_.get(`${path}/publishes/${id}`)).toMatchObject({ title: 'Sale', result: 'partly' });
  });

  it('tell success from failure and from a lack of devices', async () => {
    const nobody = await publish({ interests: ['nobody-has-it'], body: { fcm } });
    await done(nobody);
    expect((await console_.get(`${path}/publishes/${nobody}`)).result).toBe('no-devices');
    await own.registered(['one'], 'only');
    const sent = await publish({ interests: ['one'], body: { fcm } });
    await done(sent);
    expect((await console_.get(`${path}/publishes/${sent}`)).result).toBe('sent');
    gateways.fcmGateway.answer = () => ({ outcome: 'rejected', reason: 'BadToken' });
    const failed = await publish({ interests: ['one'], body: { fcm } });
    await done(failed);
    gateways.fcmGateway.answer = () => ({ outcome: 'delivered' });
    expect((await console_.get(`${path}/publishes/${failed}`)).result).toBe('failed');
  });

  it('count the devices that they would reach, and send nothing', async () => {
    await Promise.all([own.registered(['counted'], 'counted-1'), own.registered(['counted', 'more'], 'counted-2')]);
    const before = (await console_.get(`${path}/publishes`)).publishes[0].id;
    const { json } = await console_.ask('POST', `${path}/reach`, {
      interests: ['counted', 'more'],
      body: { fcm, apns: { aps: { alert: 'Sale' } } },
    });
    expect(json).toEqual({
      platforms: [
        { platform: 'apns', devices: 0, hasCredentials: expect.any(Boolean) as boolean },
        { platform: 'fcm', devices: 2, hasCredentials: expect.any(Boolean) as boolean },
      ],
      isMore: false,
    });
    expect((await console_.ask('POST', `${path}/reach`, { interests: ['a b'], body: { fcm } })).status).toBe(422);
    expect((await console_.get(`${path}/publishes`)).publishes[0].id).toBe(before);
  });

  it('combine interests, and count and show that', async () => {
    await Promise.all([
      own.registered(['tennis', 'paying'], 'tennis-1'),
      own.registered(['tennis', 'paying', 'quiet'], 'tennis-2'),
      own.registered(['tennis'], 'tennis-3'),
    ]);
    const audience = { interests: ['tennis'], allOf: ['paying'], noneOf: ['quiet'] };
    const reach = await console_.ask('POST', `${path}/reach`, { ...audience, body: { fcm } });
    expect(reach.json).toMatchObject({ platforms: [{ platform: 'fcm', devices: 1 }] });
    const id = await publish({ ...audience, body: { fcm } });
    await done(id);
    const shown = { ...audience, users: null, result: 'sent', platforms: [{ audience: 1, sent: 1 }] };
    expect(await console_.get(`${path}/publishes/${id}`)).toMatchObject(shown);
    expect((await console_.get(`${path}/publishes`)).publishes[0]).toMatchObject(shown);
    expect((await console_.ask('POST', `${path}/reach`, { ...audience, noneOf: ['a b'], body: { fcm } })).status).toBe(
      422,
    );
  });

  it('are scheduled, and cancelled', async () => {
    const publishAt = Date.now() + 3_600_000;
    const id = await publish({ interests: ['later'], publishAt, body: { fcm } });
    expect(await console_.get(`${path}/publishes/${id}`)).toMatchObject({ state: 'waiting', publishAt, result: null });
    expect((await console_.ask('POST', `${otherPath}/publishes/${id}/cancel`, {})).status).toBe(404);
    expect((await console_.ask('POST', `${path}/publishes/${id}/cancel`, {})).status).toBe(204);
    expect(await console_.get(`${path}/publishes/${id}`)).toMatchObject({ state: 'cancelled', result: null });
    const tooLate = { interests: ['later'], publishAt: Date.now() + 29 * 86_400_000, body: { fcm } };
    expect((await console_.ask('POST', `${path}/publishes`, tooLate)).status).toBe(400);
    expect((await console_.ask('POST', `${path}/publishes`, { ...tooLate, publishAt: 'soon' })).status).toBe(400);
  });

  it('go to users', async () => {
    const id = await publish({ users: ['alice'], body: { fcm } });
    await done(id);
    expect(await console_.get(`${path}/publishes/${id}`)).toMatchObject({ interests: null, users: ['alice'] });
  });

  it('are refused with a reason in words', async () => {
    for (const body of [
      { interests: [], body: { fcm } },
      { interests: ['not an interest'], body: { fcm } },
      { users: [], body: { fcm } },
      { interests: ['a'], body: {} },
      { interests: ['a'] },
      { body: { fcm } },
    ]) {
      const { status, json } = await console_.ask('POST', `${path}/publishes`, body);
      expect([body, Math.floor(status / 100), json]).toEqual([body, 4, { error: expect.stringMatching(/\w+ \w+/) }]);
    }
  });

  it('are listed, the newest first, page by page', async () => {
    const made: string[] = [];
    for (let n = 0; n < 25; n++) made.push(await publish({ interests: [`nobody-${n}`], body: { fcm } }));
    const first = await console_.get(`${path}/publishes`);
    expect(first.publishes).toHaveLength(20);
    const second = await console_.get(`${path}/publishes?cursor=${first.next}`);
    const listed = [...first.publishes, ...second.publishes];
    expect(new Set(listed.slice(0, 25).map(({ id }) => id))).toEqual(new Set(made));
    const times = listed.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(second.next).toBeNull();
    expect((await console_.ask('GET', `${path}/publishes?cursor=nonsense`)).status).toBe(400);
  });

  it('are charted over the last hour', async () => {
    const { series, stepSeconds } = await console_.get(`charts/push?instance=${instance.id}`);
    expect([stepSeconds, Object.keys(series)]).toEqual([10, ['publishes', 'delivered', 'failed']]);
    for (const line of Object.values(series) as (number | null)[][]) {
      expect(line).toHaveLength(360);
      expect(line.some((count) => count !== null)).toBe(true);
    }
    expect((await console_.ask('GET', 'charts/push')).status).toBe(400);
    expect((await console_.ask('GET', 'charts/push?instance=nobody')).status).toBe(404);
  });
});

it('shows and changes nothing of one instance through another', async () => {
  const device = await own.registered(['private'], 'kept');
  const id = await publish({ interests: ['private'], body: { fcm } });
  await done(id);
  await others.registered(['private']);
  expect(await console_.get(`${otherPath}/devices?device=${device}`)).toEqual({ devices: [], total: null, next: null });
  expect(idsOf(await console_.get(`${otherPath}/devices?interest=private`))).not.toContain(device);
  await console_.ask('DELETE', `${otherPath}/devices/${device}`);
  expect(idsOf(await console_.get(`${path}/devices?device=${device}`))).toEqual([device]);
  for (const below of ['', '/outcomes'])
    expect((await console_.ask('GET', `${otherPath}/publishes/${id}${below}`)).status).toBe(404);
  expect(await console_.get(`${otherPath}/publishes`)).toEqual({ publishes: [], next: null });
  for (const below of ['devices?user=a', 'publishes', `publishes/${id}`])
    expect((await console_.ask('GET', `instances/nobody/${below}`)).status).toBe(404);
});

describe('webhooks', () => {
  const webhookUrl = 'http://127.0.0.1:9/hooks';

  it('are listed with their attempts, given up and sent again, and only those of the instance', async () => {
    // A second try of this test finds what the first has left.
    const before = await console_.get(`${path}/webhooks`);
    const dead = before.dead + 2;
    await own.publish({ interests: ['x'], webhookUrl, fcm });
    await until(async () => (await console_.get(`${path}/webhooks`)).dead === dead, 'both are given up');
    const { attempts, endpoints } = await console_.get(`${path}/webhooks`);
    expect(endpoints).toEqual([]);
    const made = attempts.length - before.attempts.length;
    expect(
      attempts.slice(0, made).map(({ webhook }: any) => [webhook.url, webhook.events, webhook.attempt, webhook.nextAt]),
    ).toEqual([
      [webhookUrl, ['FINISHED'], 1, null],
      [webhookUrl, ['STARTED'], 1, null],
    ]);
    const { webhooks } = await console_.get(`${path}/webhooks/dead`);
    expect(webhooks).toHaveLength(dead);
    // They may have died in the same millisecond.
    const latest = webhooks.slice(0, 2).map(({ events, url }: any) => [...events, url]);
    expect(latest.toSorted()).toEqual([
      ['FINISHED', webhookUrl],
      ['STARTED', webhookUrl],
    ]);
    expect(await console_.get(`${otherPath}/webhooks`)).toMatchObject({ attempts: [], dead: 0 });
    expect(await console_.get(`apps/${testApp.id}/webhooks`)).toMatchObject({ attempts: [], dead: 0 });

    expect((await console_.ask('POST', `${otherPath}/webhooks/dead/${webhooks[0].id}/resend`, {})).status).toBe(404);
    expect((await console_.ask('POST', `${path}/webhooks/dead/${webhooks[0].id}/resend`, {})).status).toBe(202);
    const tried = attempts.length + 1;
    await until(async () => (await console_.get(`${path}/webhooks`)).attempts.length === tried, 'it is tried again');
    await until(async () => (await console_.get(`${path}/webhooks`)).dead === dead, 'it is given up again');
    expect((await console_.ask('POST', `${path}/webhooks/dead/resend`, {})).json).toEqual({ resent: dead });
  });

  it('that do not exist cannot be tested', async () => {
    const { status } = await console_.ask('POST', `${path}/webhooks/0/test`, { url: webhookUrl });
    expect(status).toBe(404);
  });
});
