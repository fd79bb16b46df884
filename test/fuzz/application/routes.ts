import type { Platform } from 'rookery/push-device';
import { instance } from '../instance.js';
import type { BodyRoute } from './application.js';
import type { Handler } from './direct-call.js';
import { app, editable } from './settings.js';

/** A route with values in place of its parameters. */
export interface Route {
  readonly method: string;
  readonly pattern: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly handler: Handler;
}

/** The ids of registered devices. */
export type DeviceIds = Readonly<Record<Platform, string>>;

/** For each value of the parameter that others depend on, the values of all. */
const choices = (pattern: string, devices: DeviceIds): readonly Readonly<Record<string, string>>[] => {
  if (pattern.includes(':platform'))
    return Object.entries(devices).map(([platform, deviceId]) => ({ platform, deviceId }));
  if (pattern.includes(':kind')) return Object.entries(editable).map(([kind, { id }]) => ({ kind, id }));
  return [{}];
};

const values: Readonly<Record<string, string>> = {
  appId: app.id,
  app: app.id,
  instanceId: instance.id,
  instance: instance.id,
  id: 'a',
  notificationId: 'a',
  webhookId: 'a',
  publish: 'pubid-1',
  device: 'fcm-1',
  position: '0',
  interest: 'news',
  interestChannel: 'news/channel',
};
const tails: Readonly<Record<string, string>> = {
  '/apps/:appId/channels/*tail': 'private-a/events',
  '/apps/:appId/users/*tail': 'alice/terminate_connections',
};

/** The paths of a route. @throws Error for a parameter without a value here */
export function routesOf({ method, pattern, handler }: BodyRoute, devices: DeviceIds): Route[] {
  return choices(pattern, devices).map((chosen) => {
    const params: Record<string, string> = {};
    const path = pattern.replaceAll(/([:*])(\w+)/g, (_, sign: string, name: string) => {
      const value = chosen[name] ?? values[name] ?? tails[pattern];
      if (value === undefined) throw new Error(`${method} ${pattern}: test/fuzz/application/routes.ts has no ${name}`);
      // Fastify's name of a tail.
      params[sign === '*' ? '*' : name] = value;
      return value;
    });
    return { method, pattern, path, params, handler };
  });
}
