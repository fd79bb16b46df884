import { Injectable, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import {
  type AppConfig,
  AppRepository,
  Broker,
  ChannelRepository,
  ChannelsModule,
  InProcessBroker,
  MemoryChannelRepository,
} from 'rookery/channels';
import type { Implementation } from 'rookery/channels';
import { JobStore, MemoryJobStore } from 'rookery/jobs';
import { MemoryPresenceRepository, PresenceModule, PresenceRepository } from 'rookery/presence';
import {
  ApnsGateway,
  FcmGateway,
  MemoryPublishOutbox,
  PublishModule,
  PublishOutbox,
  PushGateways,
  WebPushGateway,
} from 'rookery/internal/publish';
import {
  DeviceRepository,
  type Instance,
  InstanceRepository,
  MemoryDeviceRepository,
  PushDeviceModule,
} from 'rookery/push-device';
import { createHost, listen } from '../support/embedding-host.js';

@Injectable()
class NoApps extends AppRepository {
  findById(): AppConfig | undefined {
    return undefined;
  }
  findByKey(): AppConfig | undefined {
    return undefined;
  }
}
@Injectable()
class NoInstances extends InstanceRepository {
  find(): Instance | undefined {
    return undefined;
  }
}
class MyPresence extends MemoryPresenceRepository {}
class MyChannels extends MemoryChannelRepository {}
class MyBroker extends InProcessBroker {}
class MyWebhooks extends MemoryJobStore {}
class MyDevices extends MemoryDeviceRepository {}
class MyPublishes extends MemoryPublishOutbox {}
class MyFcm extends FcmGateway {}

const mine = [NoApps, NoInstances, MyPresence, MyChannels, MyBroker, MyWebhooks, MyDevices, MyPublishes, MyFcm];

/** What the host already has, for useExisting and inject. */
@Module({
  providers: mine.map((each: Type<object>) => ({ provide: each, useFactory: () => new each() })),
  exports: mine,
})
class MyPorts {}

class MyApns extends ApnsGateway {}
class MyWeb extends WebPushGateway {}

const shapes: [string, <T extends object>(port: Type<T>) => Implementation<T>][] = [
  ['a class', (port) => port],
  ['an object', (port) => new port()],
  ['useClass', (port) => ({ useClass: port })],
  ['useValue', (port) => ({ useValue: new port() })],
  ['useFactory', (port) => ({ useFactory: async () => new port() })],
  ['useFactory with inject', (port) => ({ inject: [port], useFactory: (existing: typeof port.prototype) => existing })],
  ['useExisting', (port) => ({ useExisting: port })],
];

describe('every port is replaced by', () => {
  it.each(shapes)('%s', async (_, shape) => {
    const imports = [MyPorts];
    const { app, lines } = await createHost({
      imports: [
        PresenceModule.forRoot({ imports, presenceRepository: shape(MyPresence) }),
        ChannelsModule.forRoot({
          imports,
          appRepository: shape(NoApps),
          channelRepository: shape(MyChannels),
          broker: shape(MyBroker),
          webhookOutbox: shape(MyWebhooks),
        }),
        PushDeviceModule.forRootAsync({
          imports,
          useFactory: () => ({ bodyLimit: 1000 }),
          instanceRepository: shape(NoInstances),
          deviceRepository: shape(MyDevices),
        }),
        PublishModule.forRoot({
          imports,
          publishOutbox: shape(MyPublishes),
          webhookOutbox: shape(MyWebhooks),
          fcmGateway: shape<FcmGateway>(MyFcm),
        }),
      ],
    });
    await app.init();
    const expected = new Map<unknown, Type<object>>([
      [PresenceRepository, MyPresence],
      [AppRepository, NoApps],
      [ChannelRepository, MyChannels],
      [Broker, MyBroker],
      [JobStore, MyWebhooks],
      [InstanceRepository, NoInstances],
      [DeviceRepository, MyDevices],
      [PublishOutbox, MyPublishes],
    ]);
    for (const [port, implementation] of expected) expect(app.get(port as Type)).toBeInstanceOf(implementation);
    // The boot log names them, and counts no apps that it cannot count.
    const log = lines.map(({ text }) => text);
    expect(log).toContainEqual(
      'Serves /app/<key>, /apps/<id>; AppRepository: NoApps, ChannelRepository: MyChannels, Broker: MyBroker, ' +
        'JobStore: MyWebhooks',
    );
    expect(log).toContainEqual(expect.stringContaining('PushGateway: ApnsGateway, MyFcm, WebPushGateway'));
    await app.close();
  });

  it('only a class or an object of the port', () => {
    class Stone {}
    const compiled = (): void => {
      // @ts-expect-error It finds no apps.
      ChannelsModule.forRoot({ appRepository: Stone });
      // @ts-expect-error It finds no apps.
      ChannelsModule.forRoot({ appRepository: { useClass: Stone } });
      // @ts-expect-error It is no device repository.
      PushDeviceModule.forRoot({ deviceRepository: { useFactory: async () => new Stone() } });
      // @ts-expect-error It is no outbox.
      PublishModule.forRoot({ publishOutbox: { useExisting: Stone } });
      // @ts-expect-error It keeps no presence.
      PresenceModule.forRoot({ presenceRepository: { useValue: new Stone() } });
      // @ts-expect-error It is no gateway.
      PublishModule.forRoot({ fcmGateway: { useClass: Stone } });
    };
    // Only the compiler refuses them before the application starts.
    expect(compiled).not.toThrow();
  });
});

describe('overrideProvider', () => {
  it.each([
    ['apns', ApnsGateway, new MyApns()],
    ['fcm', FcmGateway, new MyFcm()],
    ['web', WebPushGateway, new MyWeb()],
  ] as const)('replaces the gateway of %s by its class', async (platform, token, mine) => {
    const module = await Test.createTestingModule({
      imports: [PushDeviceModule.forRoot({ instances: [] }), PublishModule.forRoot()],
    })
      .overrideProvider(token)
      .useValue(mine)
      .compile();
    expect(module.get(PushGateways, { strict: false }).of(platform)).toBe(mine);
    await module.close();
  });
});

describe('a repository that returns null', () => {
  @Injectable()
  class NullApps extends AppRepository {
    async findById(): Promise<AppConfig | null> {
      return null;
    }
    findByKey(): AppConfig | null {
      return null;
    }
  }
  @Injectable()
  class NullInstances extends InstanceRepository {
    async find(): Promise<Instance | null> {
      return null;
    }
  }

  it('has no app and no instance', async () => {
    const { app } = await createHost({
      imports: [
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ appRepository: NullApps }),
        PushDeviceModule.forRoot({ instanceRepository: NullInstances }),
        PublishModule.forRoot(),
      ],
    });
    const { url } = await listen(app);
    const status = async (path: string, headers = {}) => (await fetch(`${url}${path}`, { headers })).status;
    expect(await status('/apps/1/channels?auth_key=k')).toBe(401);
    const id = '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60';
    expect(await status(`/device_api/v1/instances/${id}/devices/fcm/fcm-1`)).toBe(404);
    await app.close();
  });
});
