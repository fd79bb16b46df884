import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { without } from '../json.js';
import { fcmBody, fcmMessage, type FcmMessage } from './fcm-message.js';

const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781' };
const message = (payload: Record<string, unknown>, passedSeconds = 0) =>
  fcmMessage({ payload, instance, publishId: 'pubid-1' }, passedSeconds) as FcmMessage;

interface Body {
  readonly message: Record<string, any>;
  readonly validate_only?: boolean;
}
function body(payload: Record<string, unknown>): Body {
  return JSON.parse(fcmBody(message(payload), 't').toString()) as Body;
}
const v1 = (payload: Record<string, unknown>) => body(payload).message;
const pusher = (payload: Record<string, unknown>): unknown => JSON.parse(v1(payload).data.pusher);

it('writes data.pusher as the SDK reads it on a device', () => {
  const { data } = v1({ notification: { title: 'hi' }, data: { a: 'b' } });
  expect(data.pusher).toBe(
    `{"instanceId":"${instance.id}","hasDisplayableContent":true,"publishId":"pubid-1","hasData":true}`,
  );
});

describe('data.pusher', () => {
  const ids = { instanceId: instance.id, publishId: 'pubid-1' };
  it.each([
    ['omits false flags', {}, ids],
    ['says that something is shown', { notification: { body: 'x' } }, { ...ids, hasDisplayableContent: true }],
    ['says that there are data', { data: { a: 1 } }, { ...ids, hasData: true }],
    ['finds no data in an empty object', { data: {} }, ids],
    [
      'keeps the customer’s click action',
      { notification: { title: 'x', click_action: 'OPEN_ORDER' } },
      { ...ids, hasDisplayableContent: true, clickAction: 'OPEN_ORDER' },
    ],
    [
      'keeps a click action written for v1',
      { android: { notification: { title: 'x', click_action: 'OPEN_ORDER' } } },
      { ...ids, hasDisplayableContent: true, clickAction: 'OPEN_ORDER' },
    ],
  ])('%s', (_name, payload, expected) => expect(pusher(payload)).toEqual(expected));
});

describe('each legacy key has a counterpart in v1', () => {
  const open = 'com.pusher.pushnotifications.OPEN_TRACKING';
  it.each(['icon', 'sound', 'tag', 'body_loc_key', 'title_loc_key', 'image', 'ticker'])('notification.%s', (key) => {
    const expected = { android: { notification: { [key]: 'v', click_action: open } } };
    expect(v1({ notification: { [key]: 'v' } })).toMatchObject(expected);
  });

  it.each(['body_loc_args', 'title_loc_args'])('notification.%s', (key) => {
    const expected = { android: { notification: { [key]: ['a', 'b'] } } };
    expect(v1({ notification: { [key]: ['a', 'b'] } })).toMatchObject(expected);
  });

  it.each([
    ['title and body', { notification: { title: 'T', body: 'B' } }, { notification: { title: 'T', body: 'B' } }],
    [
      'notification.android_channel_id',
      { notification: { android_channel_id: 'c' } },
      { android: { notification: { channel_id: 'c' } } },
    ],
    [
      'notification.click_action',
      { notification: { click_action: 'MINE' } },
      { android: { notification: { click_action: open } } },
    ],
    ['time_to_live', { time_to_live: 3600 }, { android: { ttl: '3600s' } }],
    ['time_to_live 0', { time_to_live: 0 }, { android: { ttl: '0s' } }],
    ['time_to_live over four weeks', { time_to_live: 99_999_999 }, { android: { ttl: '2419200s' } }],
    ['collapse_key', { collapse_key: 'k' }, { android: { collapse_key: 'k' } }],
    ['restricted_package_name', { restricted_package_name: 'p' }, { android: { restricted_package_name: 'p' } }],
    ['priority high', { priority: 'high' }, { android: { priority: 'HIGH' } }],
    ['priority normal', { notification: {}, priority: 'normal' }, { android: { priority: 'NORMAL' } }],
    ['no priority, shown', { notification: { title: 'x' } }, { android: { priority: 'HIGH' } }],
    ['no priority, data only', { data: { a: '1' } }, { android: { priority: 'NORMAL' } }],
    [
      'android as v1 has it',
      { time_to_live: 5, android: { ttl: '60s', direct_boot_ok: true, notification: { sticky: true } } },
      { android: { ttl: '60s', direct_boot_ok: true, notification: { sticky: true, click_action: open } } },
    ],
    ['other keys of v1', { fcm_options: { analytics_label: 'l' } }, { fcm_options: { analytics_label: 'l' } }],
  ])('%s', (_name, payload, expected) => expect(v1(payload)).toMatchObject(expected));
});

it('makes every value of data a string', () => {
  const data = { text: 'x', number: 1.5, yes: true, nothing: null, list: [1, 'a'], object: { a: { b: 1 } } };
  expect(v1({ data }).data).toMatchObject({
    text: 'x',
    number: '1.5',
    yes: 'true',
    nothing: 'null',
    list: '[1,"a"]',
    object: '{"a":{"b":1}}',
  });
});

it('sends nothing that names another target or is for iOS only', () => {
  const others = { to: 'x', registration_ids: ['x'], condition: 'x', topic: 'x', token: 'x', notification_key: 'x' };
  const sent = v1({
    ...others,
    content_available: true,
    mutable_content: true,
    notification: { badge: 1, title: 'x' },
  });
  expect(Object.keys(sent).sort()).toEqual(['android', 'data', 'notification', 'token']);
  expect(sent.token).toBe('t');
  expect(sent.android.notification).not.toHaveProperty('badge');
});

it('turns dry_run into validate_only', () => {
  expect(body({ dry_run: true }).validate_only).toBe(true);
  expect(body({ dry_run: false })).not.toHaveProperty('validate_only');
});

it('has no click action without a visible notification', () => {
  expect(v1({ data: { a: 1 } }).android).not.toHaveProperty('notification');
});

it.each([
  ['four weeks unless given', {}, 2_419_200_000],
  ['as given', { time_to_live: 60 }, 60_000],
  ['as given in words', { time_to_live: '60' }, 60_000],
  ['as given for v1', { android: { ttl: '3.5s' } }, 3000],
])('lives %s', (_name, payload, ttlMs) => expect(message(payload).ttlMs).toBe(ttlMs));

it.each([
  ['nothing of its own', {}, undefined],
  ['what is left of time_to_live', { time_to_live: 60 }, '50s'],
  ['what is left of a ttl written for v1', { time_to_live: 5, android: { ttl: '60.5s' } }, '50s'],
  ['a second when less is left', { time_to_live: 10 }, '1s'],
  ['0 for one try', { time_to_live: 0 }, '0s'],
])('has after 10 seconds %s as its time to live, and ends when it would have', (_name, payload, ttl) => {
  const { beforeToken, ttlMs } = message(payload, 10);
  const { message: sent } = JSON.parse(`${beforeToken.toString()}"t"}}`) as Body;
  expect(sent.android.ttl).toBe(ttl);
  expect(ttlMs).toBe(message(payload).ttlMs);
});

it('measures bytes after injection', () => {
  const fits = (n: number) => message({ data: { a: 'x'.repeat(n) } });
  expect(fits(3800)).toHaveProperty('beforeToken');
  expect(fits(4000)).toEqual({ rejected: 'PayloadTooLarge' });
});

it.each([
  ['data that are no object', { data: 'text' }, '`data` must be an object'],
  ['a reserved name', { data: { from: 'x' } }, '`data.from` is a name that FCM reserves'],
  ['a reserved prefix', { data: { 'google.id': 'x' } }, '`data.google.id` is a name that FCM reserves'],
  [
    'one for v1',
    { android: { data: { 'gcm.notification.x': 1 } } },
    '`android.data.gcm.notification.x` is a name that FCM reserves',
  ],
  ['a number as title', { notification: { title: 5 } }, '`notification.title` must be a text'],
  [
    'a text as list',
    { notification: { title_loc_args: 'a, b' } },
    '`notification.title_loc_args` must be a list of texts',
  ],
  ['a wrong priority', { priority: 'max' }, '`priority` must be "normal" or "high"'],
  ['a wrong priority for v1', { android: { priority: 5 } }, '`android.priority` must be "normal" or "high"'],
  ['an unknown field', { notifcation: { title: 'x' } }, '`notifcation` is not a field of FCM'],
  [
    'an unknown field inside',
    { android: { notification: { colour: 'x' } } },
    '`android.notification.colour` is not a field of FCM',
  ],
  ['a wrong color', { notification: { color: 'red' } }, '`notification.color` must be a color such as "#1a2b3c"'],
  [
    'a wrong visibility',
    { android: { notification: { visibility: 'HIDDEN' } } },
    '`android.notification.visibility` must be one of VISIBILITY_UNSPECIFIED, PRIVATE, PUBLIC, SECRET',
  ],
  ['a time to live in words', { time_to_live: 'abc' }, '`time_to_live` must be a number of seconds'],
  ['no duration', { android: { ttl: 'abc' } }, '`android.ttl` must be a duration such as "60s", of at most 2419200 s'],
])('refuses %s, which Google would refuse on every device', (_name, payload, rejected) => {
  expect(message(payload)).toEqual({ rejected });
});

it('takes what Google takes: names in camel case, null, numbers of enumerations, lists as JSON texts', () => {
  const android = { collapseKey: 'k', priority: 'high', notification: { channelId: 'c', visibility: 1, sticky: null } };
  const sent = v1({ android, notification: { title_loc_args: '["a","b"]' } });
  expect(sent.android).toMatchObject({
    collapse_key: 'k',
    priority: 'HIGH',
    notification: { title_loc_args: ['a', 'b'], channel_id: 'c', visibility: 1 },
  });
});

it('finds each field by one name, and sends it once', () => {
  const sent = v1({
    timeToLive: 60,
    android: { collapseKey: 'k', notification: { clickAction: 'OPEN_ORDER', title: 'x' } },
    data: { camelCase: 'x' },
  });
  expect(sent.android).toEqual({
    collapse_key: 'k',
    priority: 'HIGH',
    ttl: '60s',
    notification: { title: 'x', click_action: 'com.pusher.pushnotifications.OPEN_TRACKING' },
  });
  expect(JSON.parse(sent.data.pusher)).toMatchObject({ clickAction: 'OPEN_ORDER' });
  expect(sent.data.camelCase).toBe('x');
});

const everyField = {
  android: {
    collapse_key: 'k',
    priority: 'NORMAL',
    ttl: '60s',
    restricted_package_name: 'com.example',
    data: { google_id: '1', gcm: '2' },
    fcm_options: { analytics_label: 'l' },
    direct_boot_ok: true,
    bandwidth_constrained_ok: true,
    restricted_satellite_ok: 'true',
    notification: {
      title: 't',
      body: 'b',
      icon: 'i',
      color: '#112233',
      sound: 's',
      tag: 't',
      click_action: 'c',
      body_loc_key: 'k',
      body_loc_args: ['a'],
      title_loc_key: 'k',
      title_loc_args: ['a'],
      channel_id: 'c',
      ticker: 't',
      sticky: true,
      event_time: '2026-01-31T12:00:00.5Z',
      local_only: true,
      notification_priority: 'PRIORITY_MAX',
      default_sound: true,
      default_vibrate_timings: true,
      default_light_settings: true,
      vibrate_timings: ['0.5s', '1s'],
      visibility: 'SECRET',
      notification_count: '5',
      light_settings: {
        color: { red: 1, green: 0.5, blue: 0, alpha: 1 },
        light_on_duration: '1s',
        light_off_duration: '1.5s',
      },
      image: 'https://example.com/x.png',
      bypass_proxy_notification: true,
      proxy: 'IF_PRIORITY_LOWERED',
    },
  },
  notification: { title: 't', body: 'b', image: 'https://example.com/x.png' },
  webpush: { headers: { urgency: 'high' }, fcm_options: { link: 'https://example.com' } },
  apns: { payload: { aps: {} }, live_activity_token: 'x' },
  fcm_options: { analytics_label: 'l' },
  fid: 'dropped',
};

it("takes every field of Google's reference", () => {
  expect(message(everyField)).toHaveProperty('beforeToken');
  expect(v1(everyField)).not.toHaveProperty('fid');
});

it.each([
  ['a flag', { android: { direct_boot_ok: 'yes' } }, '`android.direct_boot_ok` must be true or false'],
  [
    'a count',
    { notification: { notification_count: true } },
    '`notification.notification_count` must be a whole number',
  ],
  [
    'a count over 32 bits',
    { notification: { notification_count: 2 ** 31 } },
    '`notification.notification_count` must be a whole number',
  ],
])('refuses %s of another type', (_name, payload, rejected) => expect(message(payload)).toEqual({ rejected }));

describe('android_v2', () => {
  const notification = without(everyField.android.notification, ['bypass_proxy_notification', 'proxy']);
  const config = without(everyField.android, ['priority', 'notification']);

  it('is sent in place of android, with the open reported, its data merged and its time to live', () => {
    const remote = { mutable_content: true, use_as_v1_data_message: true, notification: { ...notification, id: 42 } };
    const sent = v1({
      priority: 'high',
      collapse_key: 'other',
      data: { a: 1 },
      android_v2: { ...config, remote_notification: remote },
    });
    expect(sent).not.toHaveProperty('android');
    expect(sent.android_v2).toEqual({
      ...without(config, ['data']),
      remote_notification: {
        ...remote,
        notification: { ...notification, id: 42, click_action: 'com.pusher.pushnotifications.OPEN_TRACKING' },
      },
    });
    expect(sent.data).toMatchObject({ a: '1', google_id: '1', gcm: '2' });
    expect(JSON.parse(sent.data.pusher)).toMatchObject({ hasDisplayableContent: true, clickAction: 'c' });
  });

  it('synchronizes in the background without showing anything', () => {
    const sent = v1({ data: { a: 1 }, android_v2: { background_sync: {}, ttl: '60s' } });
    expect(sent.android_v2).toEqual({ background_sync: {}, ttl: '60s' });
    expect(JSON.parse(sent.data.pusher)).not.toHaveProperty('hasDisplayableContent');
  });

  it('is refused beside android, as Google does', () => {
    expect(message({ android: {}, android_v2: { background_sync: {} } })).toEqual({
      rejected: '`android` and `android_v2` exclude each other',
    });
  });

  it('counts towards the size', () => {
    const body = 'x'.repeat(4096);
    expect(message({ android_v2: { remote_notification: { notification: { body } } } })).toEqual({
      rejected: 'PayloadTooLarge',
    });
  });
});

it('merges the data written for v1 with the others, and keeps its own', () => {
  const { data, android } = v1({ data: { a: 1, b: 'x' }, android: { data: { a: 2, c: true } } });
  expect(data).toEqual({ a: '2', b: 'x', c: 'true', pusher: expect.stringContaining('"hasData":true') });
  expect(android).not.toHaveProperty('data');
});

it('never throws, for any JSON from a customer', () => {
  const keys = ['notification', 'data', 'android', 'priority', 'time_to_live', 'dry_run', 'other'] as const;
  assert(
    property(jsonValue(), (value) => {
      for (const key of keys) expect(message({ [key]: value })).toBeDefined();
    }),
  );
});
