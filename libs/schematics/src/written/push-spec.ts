import type { Platform, Runner } from '../project.js';

/** The test of push: a server with it and a stand-in for Google, and requests as SDKs send them. */
export const pushSpec = ({
  runner,
  platform,
}: {
  readonly runner: Runner;
  readonly platform: Platform;
}): string => `${platform === 'fastify' ? `import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';\n` : `import { type INestApplication } from '@nestjs/common';\n`}import { Test } from '@nestjs/testing';
import { type PreparedNotification, PublishModule, PushGateway } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
${runner === 'vitest' ? `import { afterAll, beforeAll, describe, expect, it } from 'vitest';\n` : ''}
const instance = { id: '5b0c5a3e-2f63-4a8e-9f0e-1d0a4f6f7c11', secretKey: 'secret' };

/** Stands for Google: delivers everything, and remembers the first device. */
class TestGateway extends PushGateway {
  readonly platform = 'fcm';
  private deliver: (token: string) => void = () => {};
  readonly delivered = new Promise<string>((resolve) => {
    this.deliver = resolve;
  });

  async prepare(): Promise<PreparedNotification> {
    const send: PreparedNotification['send'] = async ({ token }) => {
      this.deliver(token);
      return { outcome: 'delivered' };
    };
    return { ttlMs: 0, send };
  }

  async close(): Promise<void> {}
}

describe('push', () => {
  const fcmGateway = new TestGateway();
  let app: ${platform === 'fastify' ? 'NestFastifyApplication' : 'INestApplication'};

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [PushDeviceModule.forRoot({ instances: [instance] }), PublishModule.forRoot({ fcmGateway })],
    }).compile();
    app = testing.createNestApplication${platform === 'fastify' ? '<NestFastifyApplication>(new FastifyAdapter())' : '()'};
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  const send = async (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    fetch((await app.getUrl()) + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const devices = \`/device_api/v1/instances/\${instance.id}/devices/fcm\`;
  const publish = (headers: Record<string, string>) =>
    send(
      'POST',
      \`/publish_api/v1/instances/\${instance.id}/publishes/interests\`,
      { interests: ['news'], fcm: { notification: { title: 'Hello', body: 'World' } } },
      headers,
    );

  it('reaches a device with the interest', async () => {
    const registered = await send('POST', devices, { token: 'a-token-of-google' });
    const { id } = (await registered.json()) as { id: string };
    await send('PUT', \`\${devices}/\${id}/interests\`, { interests: ['news'] });
    const published = await publish({ authorization: \`Bearer \${instance.secretKey}\` });
    expect(published.status).toBe(200);
    expect(await fcmGateway.delivered).toBe('a-token-of-google');
  });

  it('is sent only with the secret key', async () => {
    expect((await publish({ authorization: 'Bearer another' })).status).toBe(401);
  });
});
`;
