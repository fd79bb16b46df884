import {
  Body,
  Catch,
  Controller,
  Injectable,
  Logger,
  Module,
  Post,
  UnprocessableEntityException,
  VersioningType,
  type ArgumentMetadata,
  type ArgumentsHost,
  type ExceptionFilter,
  type INestApplication,
  type PipeTransform,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  DeviceRepository,
  DevicesService,
  InstanceRepository,
  MemoryDeviceRepository,
  PushDeviceModule,
  type Instance,
} from 'rookery/push-device';
import { instance, platformAdapters } from '../support/push-app.js';

@Controller('host')
class HostController {
  @Post()
  echo(@Body() body: unknown) {
    return { parsed: body };
  }
}

@Module({ imports: [PushDeviceModule.forRoot({ instances: [instance] })], controllers: [HostController] })
class HostModule {}

@Module({})
class BareHost {}

/** As hosts have them: it refuses every body that it does not know. */
class HostPipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata) {
    if (type === 'body') throw new UnprocessableEntityException();
    return value;
  }
}

/** As hosts have them: it turns every error into its own shape. */
@Catch()
class HostFilter implements ExceptionFilter {
  catch(_: unknown, host: ArgumentsHost) {
    const response = host.switchToHttp().getResponse();
    const status = typeof response.code === 'function' ? response.code(418) : response.status(418);
    status.send({ host: true });
  }
}

const apps: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

async function boot(
  module: Parameters<typeof NestFactory.create>[0],
  platform: keyof typeof platformAdapters = 'Fastify',
  before: (app: INestApplication) => void = () => undefined,
) {
  const app = await NestFactory.create(module, platformAdapters[platform](), { logger: false, abortOnError: false });
  apps.push(app);
  before(app);
  await app.listen(0, '127.0.0.1');
  return { app, url: `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}` };
}

const post = (url: string, body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': type } });

const devices = `/device_api/v1/instances/${instance.id}/devices/fcm`;

describe.each(['Fastify', 'Express'] as const)('PushDeviceModule in a bare application on %s', (platform) => {
  it('serves the device API, and leaves the routes of the host alone', async () => {
    const { url } = await boot(HostModule, platform);
    const registered = await post(url + devices, '{"token":"t"}');
    expect([registered.status, await registered.json()]).toMatchObject([200, { initialInterestSet: [] }]);
    expect(await (await post(`${url}/host`, '{"a":1}')).json()).toEqual({ parsed: { a: 1 } });
    expect((await post(`${url}/host`, '{')).status).toBe(400);
    expect(await (await fetch(`${url}/nowhere`)).json()).toMatchObject({ statusCode: 404 });
  });

  it("keeps its paths under the host's global prefix", async () => {
    const { url } = await boot(HostModule, platform, (app) => app.setGlobalPrefix('api'));
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
    expect((await post(`${url}/api${devices}`, '{"token":"t"}')).status).toBe(404);
    expect((await post(`${url}/api/host`, '{}')).status).toBe(201);
  });

  it("follows the host's global prefix if configured", async () => {
    const imports = [PushDeviceModule.forRoot({ instances: [instance], useGlobalPrefix: true })];
    const { url } = await boot({ module: BareHost, imports }, platform, (app) => app.setGlobalPrefix('push/v2'));
    expect((await post(`${url}/push/v2${devices}`, '{"token":"t"}')).status).toBe(200);
    expect((await post(`${url}/push/v2${devices}`, '{"token":"t"}', 'text/plain')).status).toBe(400);
  });

  it("keeps its paths with the host's versioning", async () => {
    const { url } = await boot(HostModule, platform, (app) =>
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '7' }),
    );
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
    expect((await fetch(`${url}/device_api/v1/nowhere`)).status).toBe(404);
    expect((await post(`${url}/v7/host`, '{}')).status).toBe(201);
  });

  it('keeps its answers with global pipes and filters of the host', async () => {
    const { url } = await boot(HostModule, platform, (app) => {
      app.useGlobalPipes(new HostPipe());
      app.useGlobalFilters(new HostFilter());
    });
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
    const refused = await post(url + devices, '{}');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'Bad request', description: 'Missing FCM token.' },
    ]);
    expect((await post(`${url}/host`, '{}')).status).toBe(418);
  });

  it("allows browsers even if the host's CORS does not", async () => {
    const { url } = await boot(HostModule, platform, (app) => app.enableCors({ origin: 'https://host.example' }));
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const allowed = async (path: string) =>
      (await fetch(url + path, { method: 'OPTIONS', headers })).headers.get('access-control-allow-origin');
    expect(await allowed(devices)).toBe('*');
    expect(await allowed('/host')).toBe('https://host.example');
  });
});

describe('behind a body parser of the host', () => {
  type Read = IncomingMessage & { rawBody?: Buffer };

  /** A server before the application's, as a serverless platform has it. */
  async function behind(keep: (request: Read, body: Buffer) => void) {
    const app = await NestFactory.create(HostModule, platformAdapters.Express(), { logger: false });
    apps.push(await app.init());
    const application = app.getHttpAdapter().getInstance() as RequestListener;
    const server = createServer((request: Read, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        keep(request, Buffer.concat(chunks));
        application(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('uses the rawBody', async () => {
    const url = await behind((request, body) => (request.rawBody = body));
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
  });

  it('says what to write without a rawBody', async () => {
    const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const url = await behind(() => undefined);
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(500);
    expect(errors.mock.calls.flat().join()).toContain('NestFactory.create(AppModule, { rawBody: true })');
    errors.mockRestore();
  });
});

describe('forRoot', () => {
  @Injectable()
  class HostInstances extends InstanceRepository {
    find(id: string): Instance | undefined {
      return id === instance.id ? instance : undefined;
    }
  }
  @Injectable()
  class HostDevices extends MemoryDeviceRepository {}

  it('accepts another implementation of each port in one line', async () => {
    const { app, url } = await boot(
      PushDeviceModule.forRoot({ instanceRepository: HostInstances, deviceRepository: HostDevices }),
    );
    expect(app.get(InstanceRepository)).toBeInstanceOf(HostInstances);
    expect(app.get(DeviceRepository)).toBeInstanceOf(HostDevices);
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
  });

  it('accepts an object or a factory for a port', async () => {
    const own = new HostDevices();
    const { app } = await boot(
      PushDeviceModule.forRoot({
        instances: [instance],
        deviceRepository: own,
        instanceRepository: { useFactory: () => new HostInstances() },
      }),
    );
    expect(app.get(DeviceRepository)).toBe(own);
    expect(app.get(InstanceRepository)).toBeInstanceOf(HostInstances);
  });

  it('accepts options from a factory', async () => {
    @Module({ providers: [{ provide: 'settings', useValue: { instances: [instance] } }], exports: ['settings'] })
    class SettingsModule {}
    const { app, url } = await boot(
      PushDeviceModule.forRootAsync({
        imports: [SettingsModule],
        inject: ['settings'],
        useFactory: (settings: { instances: Instance[] }) => settings,
        deviceRepository: HostDevices,
      }),
    );
    expect(app.get(DeviceRepository)).toBeInstanceOf(HostDevices);
    expect((await post(url + devices, '{"token":"t"}')).status).toBe(200);
  });

  it('offers the host a service that does the same without HTTP', async () => {
    const { app, url } = await boot(HostModule);
    const { id } = await app
      .get(DevicesService)
      .register(instance.id, { platform: 'fcm', token: 'mine', metadata: {} });
    expect((await fetch(`${url}${devices}/${id}`)).status).toBe(200);
  });

  it.each([
    [{ id: 'x', secretKey: 's' }, /PushDeviceModule: instances\[1\]\.id must be a UUID, got "x"/],
    [
      { id: instance.id, secretKey: '' },
      /PushDeviceModule: instances\[1\]\.secretKey must be a text that is not empty, got an empty text/,
    ],
    [instance, /two instances have the id/],
  ])('names the instance that is configured wrong: %j', async (wrong, message) => {
    await expect(boot(PushDeviceModule.forRoot({ instances: [instance, wrong] }))).rejects.toThrow(message);
  });
});

describe('at boot', () => {
  const said = async (module: Parameters<typeof NestFactory.create>[0]) => {
    const [log, warn] = (['log', 'warn'] as const).map((level) =>
      vi.spyOn(Logger.prototype, level).mockImplementation(() => undefined),
    );
    await boot(module);
    const lines = [log!, warn!].map(({ mock }) => mock.calls.map(([line]) => String(line)));
    log!.mockRestore();
    warn!.mockRestore();
    return { logs: lines[0]!, warnings: lines[1]! };
  };

  it('logs in one line the class behind each port, and no secret', async () => {
    const { logs } = await said(HostModule);
    const line = `Serves /device_api/v1 for 1 instance; InstanceRepository: ConfiguredInstanceRepository, DeviceRepository: MemoryDeviceRepository`;
    expect(logs.filter((text) => text === line)).toHaveLength(1);
    expect(logs.join('\n')).not.toContain(instance.secretKey);
  });

  it('warns of devices in memory', async () => {
    const { warnings } = await said(HostModule);
    expect(warnings.some((text) => text.includes('Devices are kept in memory'))).toBe(true);
  });

  it('refuses to keep devices in memory in production unless allowed', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await expect(boot(HostModule)).rejects.toThrow(/deviceRepository: TypeOrmDeviceRepository/);
    await boot(PushDeviceModule.forRoot({ instances: [instance], allowMemoryInProduction: true }));
    vi.unstubAllEnvs();
  });
});
