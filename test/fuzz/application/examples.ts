import { createECDH } from 'node:crypto';
import type { Platform } from 'rookery/push-device';
import { password } from './settings.js';

const browser = createECDH('prime256v1');
browser.setPrivateKey(Buffer.alloc(32, 7));
const subscription = {
  endpoint: 'https://fcm.googleapis.com/',
  keys: { p256dh: browser.getPublicKey('base64url'), auth: Buffer.alloc(16, 9).toString('base64url') },
};

/** The body that registers a device. */
export const registrations: Readonly<Record<Platform, string>> = {
  apns: `{"token":"${'a'.repeat(64)}","bundleIdentifier":"com.example.app","metadata":{"sdkVersion":"1.0"}}`,
  fcm: '{"token":"fuzz"}',
  web: JSON.stringify({ token: Buffer.from(JSON.stringify(subscription)).toString('base64') }),
};

const publish = `{"interests":["news"],"webhookUrl":"https://example.com/","fcm":{"notification":{"title":"a"},
  "data":{"a":"b"}},"apns":{"aps":{"alert":{"title":"a"},"badge":1}},"web":{"notification":{"title":"a","deep_link":
  "https://a.b"}}}`;

/** Bodies to start from, with the routes that accept them. */
export const examples: readonly (readonly [routes: RegExp, body: string])[] = [
  [
    /^\/apps.*events$/,
    '{"name":"a","channels":["private-a","b"],"data":"{\\"x\\":1}","socket_id":"1.2","info":"user_count"}',
  ],
  [/batch_events$/, '{"batch":[{"name":"a","channel":"b","data":"c","info":"subscription_count"}]}'],
  [/devices\/apns$/, registrations.apns],
  [/devices\/fcm$|token$/, registrations.fcm],
  [/devices\/web$/, registrations.web],
  [/metadata$/, '{"sdkVersion":"1.0","iosVersion":"17","androidVersion":"14","macosVersion":1}'],
  [/interests$/, '{"interests":["news","sport"]}'],
  [/^\/publish_api.*(publishes|interests)$/, publish],
  [
    /^\/publish_api.*users$/,
    '{"users":["alice"],"apns":{"aps":{"alert":"a","content-available":1}},"web":{"time_to_live":60}}',
  ],
  [/^\/reporting_api/, '{"event":"Open","publishId":"p","deviceId":"web-1","timestampSecs":1700000000}'],
  [
    /notifications$/,
    `{"userId":"alice","event":{"name":"a","data":{"b":"c"}},"push":{"web":{"notification":{"title":"a"}}},
      "pushAfterSeconds":3,"collapseKey":"k","quietHours":{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin"}}`,
  ],
  [/channel$/, '{"bundleIdentifier":"com.example.app","storesLatest":false}'],
  [/./, '{"ids":["a"],"user":"alice","before":"2026-01-01T00:00:00Z"}'],
  [/session$/, `{"password":"${password}"}`],
  [/^\/console.*events$/, '{"channels":["a"],"name":"b","data":"c","socketId":"1.2"}'],
  // Another webhook: with this one's URL it would be sent.
  [/test$/, '{"url":"https://example.com/other"}'],
  [/admin/, '{"version":1,"enabled":false}'],
  [/rotate$/, '{"oldValidForSeconds":60}'],
  [/^\/console.*(publishes|reach)$/, '{"users":["alice"],"body":{"web":{"notification":{"title":"a"}}}}'],
  [
    /^\/console.*(publishes|reach|preview)$/,
    '{"interests":["a"],"body":{"apns":{"aps":{"alert":"a"}},"fcm":{"data":{"a":"b"}}},"publishAt":1900000000000}',
  ],
  [/check$/, '{"platform":"apns","credentials":{"keyId":"A","teamId":"B","key":"c"}}'],
  [
    /admin\/apps/,
    `{"name":"a","clientEvents":true,"allowedOrigins":["*.example.com"],"enabled":true,
      "limits":{"presenceMembers":100},"history":[{"channels":"private-*","events":10,"seconds":60}],
      "webhooks":[{"url":"https://example.com/hook","events":["channel_occupied"]}]}`,
  ],
  [
    /admin\/instances/,
    `{"name":"a","publishesPerSecond":5,"apns":{"keyId":"A","teamId":"B","key":"c"},"fcm":null,
      "webhooks":[{"url":"https://example.com/hook","events":["v1.PublishToUsersAttempt"],"secret":"b"}]}`,
  ],
];
