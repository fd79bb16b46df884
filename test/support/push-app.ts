import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { documentedPush } from './documented-push.js';
import { PushDeviceModule, type Instance, type PushDeviceOptions, type PushDevicePorts } from 'rookery/push-device';

/** An instance as the tests know it. */
export const instance: Instance = {
  id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  secretKey: 'F8AC0B756E50DF235F642D6F0DC2CDE0328CD9184B3874C5E91AB2189BB722FE',
};

/** A second one: nothing of it is ever seen through the first. */
export const otherInstance: Instance = { ...instance, id: '11111111-2222-4333-8444-555555555555' };

/** The platforms a host may run on. */
export const platformAdapters = {
  Fastify: () => new FastifyAdapter(),
  Express: () => new ExpressAdapter(),
} as const;

@Module({})
class HostModule {}

/** What a call answered: the status, the content type and the body, parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly json: any;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its content type, unless it is text: that is sent as it is. */
  readonly body?: unknown;
}

/** Starts an application of the given modules and answers how to call it. Close it afterwards. */
export async function startApp(
  imports: NonNullable<DynamicModule['imports']>,
  platform: keyof typeof platformAdapters = 'Fastify',
) {
  const app = await NestFactory.create({ module: HostModule, imports }, platformAdapters[platform](), {
    logger: false,
    abortOnError: false,
  });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, { headers = {}, body }: CallOptions = {}): Promise<Answer> => {
    const isText = typeof body === 'string';
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && !isText && { 'content-type': 'application/json' }), ...headers },
      body: isText || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const type = response.headers.get('content-type');
    const json: unknown = type?.startsWith('application/json') ? JSON.parse(text) : undefined;
    documentedPush.check({ method, url: path, sent: isText ? undefined : body, status: response.status, type, text });
    return { status: response.status, type, text, json, headers: response.headers };
  };
  return { app, port, url, call, close: () => app.close() };
}

/** Starts the device API alone, with paths below `/device_api/v1/instances/<id>/`. */
export async function startDeviceApi(
  options: PushDeviceOptions & PushDevicePorts = {},
  platform: keyof typeof platformAdapters = 'Fastify',
) {
  const started = await startApp(
    [PushDeviceModule.forRoot({ instances: [instance, otherInstance], ...options })],
    platform,
  );
  const call = (method: string, path: string, options?: CallOptions) =>
    started.call(method, `/device_api/v1/instances/${instance.id}/${path}`, options);
  return {
    ...started,
    call,
    callAnywhere: started.call,
    /** Registers an Android device. @returns its path */
    registered: async (token: string = crypto.randomUUID()) =>
      `devices/fcm/${(await call('POST', 'devices/fcm', { body: { token } })).json.id}`,
  };
}
