import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ChannelsModule, signedQuery } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { channelsDescription } from '../../../libs/channels/src/http/description/channels-api.description.js';
import { notificationsDescription } from '../../../libs/notifications/src/http/notifications-api.description.js';
import { publishDescription } from '../../../libs/publish/src/http/description/publish-api.description.js';
import { deviceApiDescription } from '../../../libs/push-device/src/http/description/device-api.description.js';
import { signUserToken } from '../../../libs/push-device/src/user-token.js';
import { DocumentedAnswers } from '../../support/documented.js';
import { instance } from '../instance.js';
import type { Target } from '../target.js';

const app = { id: '3', key: 'key', secret: 'secret' };
const apis = [channelsDescription(), publishDescription(), deviceApiDescription(), notificationsDescription()];
const documented = new DocumentedAnswers(apis);

class Host {}

interface Route {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
}

const parameters: Readonly<Record<string, string>> = {
  '{appId}': app.id,
  '{instanceId}': instance.id,
  '{userId}': 'alice',
  '{channelName}': 'private-a',
  '{notificationId}': 'a',
  '{publishId}': 'pubid-1',
  '{interest}': 'news',
  '{webhookId}': 'a',
};

/** All routes that take a body, by the API's description. */
const routesWith = (deviceId: string): Route[] =>
  apis.flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([verb]) => ({
          method: verb.toUpperCase() as Route['method'],
          path: path.replaceAll(/\{\w+\}/g, (name) => parameters[name] ?? deviceId),
        })),
    ),
  );

/** The base64 of a subscription. */
const webToken = 'eyJlbmRwb2ludCI6Imh0dHBzOi8vcHVzaC5leGFtcGxlLyIsImtleXMiOnsicDI1NmRoIjoiQUEiLCJhdXRoIjoiQUEifX0=';
const examples = [
  '{"name":"a","channels":["private-a","b"],"data":"{\\"x\\":1}","socket_id":"1.2","info":"user_count"}',
  '{"batch":[{"name":"a","channel":"b","data":"c","info":"subscription_count"}]}',
  `{"token":"${'a'.repeat(64)}","bundleIdentifier":"com.example.app","metadata":{"sdkVersion":"1.0"}}`,
  `{"token":"${webToken}"}`,
  `{"interests":["news"],"webhookUrl":"https://example.com/","fcm":{"notification":{"title":"a"},"data":{"a":"b"}},
    "apns":{"aps":{"alert":{"title":"a"},"badge":1}},"web":{"notification":{"title":"a","deep_link":"https://a.b"}}}`,
  '{"users":["alice"],"apns":{"aps":{"alert":"a","content-available":1}},"web":{"time_to_live":60}}',
  '{"event":"Open","publishId":"p","deviceId":"web-1","timestampSecs":1700000000}',
  '{"users":["alice"],"name":"a","data":{"b":"c"},"title":"a","body":"b","url":"https://a.b/","pushAfterSeconds":3}',
  '{"ids":["a"],"user":"alice","before":"2026-01-01T00:00:00Z"}',
];

/** JSON bodies of all routes, by a line with the route's number: each answer is documented, and none is a 5xx. */
export const bodies = async (): Promise<Target> => {
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app] }),
    PushDeviceModule.forRoot({ instances: [instance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{ app: app.id, instance: instance.id }] }),
  ];
  const host = await NestFactory.create<NestFastifyApplication>({ module: Host, imports }, new FastifyAdapter(), {
    logger: false,
  });
  await host.init();
  await host.getHttpAdapter().getInstance().ready();
  const json = { 'content-type': 'application/json' };
  const registered = await host.inject({
    method: 'POST',
    url: `/device_api/v1/instances/${instance.id}/devices/fcm`,
    headers: json,
    payload: '{"token":"fuzz"}',
  });
  const routes = routesWith(registered.json<{ id: string }>().id);
  const userToken = await signUserToken('alice', instance, Date.now(), 86_400);
  return {
    name: 'bodies',
    seeds: routes.flatMap((_, route) => examples.map((each) => `${route}\n${each}`)),
    batch: 50,
    async run(input) {
      const line = input.indexOf('\n');
      const { method, path } =
        routes[Math.abs(Number.parseInt(input.toString('latin1', 0, 4), 10) || 0) % routes.length]!;
      const payload = input.subarray(line + 1);
      const isChannels = path.startsWith('/apps/');
      const url = isChannels ? `${path}?${signedQuery(app, { method, path, body: payload.toString() })}` : path;
      const secret = path.startsWith('/device_api/') ? userToken : instance.secretKey;
      const headers = { ...json, ...(!isChannels && { authorization: `Bearer ${secret}` }) };
      const {
        statusCode: status,
        headers: answered,
        body: text,
      } = await host.inject({ method, url, headers, payload });
      assert.ok(status < 500, `${method} ${path} answers ${status}: ${text}`);
      // Without the body: fields that no rule names are accepted, and described nowhere.
      documented.check({ method, url, status, type: answered['content-type'] as string | undefined, text });
    },
    stop: () => host.close(),
  };
};
