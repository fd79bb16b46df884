import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppsAdmin, ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import {
  ApnsGateway,
  FcmGateway,
  type Notification,
  PublishModule,
  type PushGateway,
  WebPushGateway,
} from 'rookery/publish';
import {
  ConfiguredInstanceRepository,
  InstancesAdmin,
  LayeredInstanceRepository,
  PushDeviceModule,
  PushDeviceSettings,
} from 'rookery/internal/push-device';
import { RequestRates } from '#common';
import { instance } from '../instance.js';
import { signUserToken } from '../../../libs/push-device/src/user-token.js';
import type { Handler } from './direct-call.js';
import { registrations } from './examples.js';
import { type DeviceIds, routesOf } from './routes.js';
import { app, editable, password } from './settings.js';
import { KeptApps, KeptInstances } from './editable-settings.js';

/** A route that takes a body. */
export interface BodyRoute {
  readonly method: string;
  /** With Nest's neutral spelling of parameters. */
  readonly pattern: string;
  readonly handler: Handler;
}

const verbs = new Set<unknown>(['POST', 'PUT', 'PATCH']);

/** An adapter that notes the routes with bodies. */
export function notingAdapter(): { readonly adapter: FastifyAdapter; readonly routes: readonly BodyRoute[] } {
  const adapter = new FastifyAdapter();
  const routes: BodyRoute[] = [];
  const { supportedMethods } = adapter.getInstance();
  adapter.getInstance().addHook('onRoute', ({ method, url, handler }) => {
    const methods = [method].flat();
    // Routes of all methods answer unknown paths.
    if (methods.length === supportedMethods.length) return;
    for (const each of methods)
      if (verbs.has(each)) routes.push({ method: each, pattern: url, handler: handler as unknown as Handler });
  });
  return { adapter, routes };
}

/** Otherwise nearly all requests would be refused before their bodies are looked at. */
class NoLimits extends RequestRates {
  take = () => 0;
  giveBack = () => undefined;
}

/** A gateway that sends nothing. */
function silent(gateway: PushGateway): PushGateway {
  return {
    platform: gateway.platform,
    channels: { create: async () => 'channel', delete: async () => undefined },
    close: () => gateway.close(),
    async prepare(notification: Notification) {
      const prepared = await gateway.prepare(notification);
      return 'rejected' in prepared
        ? prepared
        : { ttlMs: prepared.ttlMs, send: async () => ({ outcome: 'delivered' as const }) };
    },
  };
}

class Host {}

/** All modules, with their state in memory: no limits of rates, and nothing is sent. */
export async function openApplication() {
  const { adapter, routes } = notingAdapter();
  const requestRates = NoLimits;
  const instanceRepository = {
    inject: [PushDeviceSettings],
    useFactory: (settings: PushDeviceSettings) =>
      new LayeredInstanceRepository(new ConfiguredInstanceRepository(settings), new KeptInstances()),
  };
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app], appRepository: KeptApps, requestRates }),
    PushDeviceModule.forRoot({ instances: [instance], requestRates, instanceRepository }),
    PublishModule.forRoot({
      worker: false,
      requestRates,
      apnsGateway: silent(new ApnsGateway()),
      fcmGateway: silent(new FcmGateway()),
      webGateway: silent(new WebPushGateway()),
    }),
    NotificationsModule.forRoot({ apps: [{ app: app.id, instance: instance.id }] }),
    ConsoleModule.forRoot({ password, traceBytes: 0, requestRates }),
  ];
  const host = await NestFactory.create<NestFastifyApplication>({ module: Host as Type<object>, imports }, adapter, {
    logger: false,
  });
  await host.init();
  await host.getHttpAdapter().getInstance().ready();
  await host.get(AppsAdmin).create(editable.apps);
  await host.get(InstancesAdmin).create(editable.instances);
  const devices = await registered(host);
  const userToken = await signUserToken('alice', instance, Date.now(), 86_400);
  return { host, userToken, routes: routes.flatMap((route) => routesOf(route, devices)) };
}

export type Application = Awaited<ReturnType<typeof openApplication>>;

/** A device of each platform. */
async function registered(host: NestFastifyApplication): Promise<DeviceIds> {
  const ids = Object.entries(registrations).map(async ([platform, payload]) => {
    const url = `/device_api/v1/instances/${instance.id}/devices/${platform}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await host.inject({ method: 'POST', url, headers, payload });
    return [platform, answer.json<{ id: string }>().id];
  });
  return Object.fromEntries(await Promise.all(ids)) as DeviceIds; // One of each platform, as above.
}
