import type { DynamicModule, Type } from '@nestjs/common';
import { ConsoleModule } from '@rookery/console';
import { describe, expect, it } from 'vitest';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RedisModule } from 'rookery/redis';
import { TypeOrmStorageModule } from 'rookery/typeorm';
import { testApp } from '../support/channels-server.js';
import { createHost } from '../support/embedding-host.js';

const started = async (...imports: (DynamicModule | Type)[]): Promise<void> => {
  const { app } = await createHost({ imports });
  await app.init();
  await app.close();
};

const columns = (): DynamicModule[] => [
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({ apps: [] }),
  PushDeviceModule.forRoot({ instances: [] }),
  PublishModule.forRoot(),
];

describe('an application with incomplete imports fails with one line', () => {
  it.each<[string, DynamicModule[], string]>([
    [
      'of PresenceModule',
      [ChannelsModule.forRoot({ apps: [testApp] })],
      'ChannelsModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it',
    ],
    [
      'of PushDeviceModule',
      [PublishModule.forRoot()],
      'PublishModule needs PushDeviceModule: add PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) to the imports beside it',
    ],
    [
      'of the modules of both columns',
      [NotificationsModule.forRoot({ apps: [] })],
      'NotificationsModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it\n' +
        'NotificationsModule needs PushDeviceModule: add PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) to the imports beside it\n' +
        'NotificationsModule needs PublishModule: add PublishModule.forRoot() to the imports beside it',
    ],
    [
      'of the modules of one column',
      [NotificationsModule.forRoot({ apps: [] }), PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [] })],
      'NotificationsModule needs PushDeviceModule: add PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) to the imports beside it\n' +
        'NotificationsModule needs PublishModule: add PublishModule.forRoot() to the imports beside it',
    ],
    [
      'of what the console shows',
      [ConsoleModule.forRoot({ password: 'a password for tests' })],
      'ConsoleModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it',
    ],
    [
      'of apps',
      [PresenceModule.forRoot(), ChannelsModule.forRoot({})],
      'ChannelsModule: no apps: pass apps: [{ id, key, secret }] or appRepository: YourAppRepository to forRoot',
    ],
    [
      'of apps that its factory leaves out',
      [PresenceModule.forRoot(), ChannelsModule.forRootAsync({ useFactory: async () => ({}) })],
      'ChannelsModule: no apps: pass apps: [{ id, key, secret }] or appRepository: YourAppRepository to forRoot',
    ],
    [
      'of instances',
      [PushDeviceModule.forRoot({})],
      'PushDeviceModule: no instances: pass instances: [{ id, secretKey }] or instanceRepository: YourInstanceRepository to forRoot',
    ],
  ])('%s', async (_, imports, line) => {
    // Whatever order they stand in.
    for (const order of [imports, imports.toReversed()])
      await expect(started(...order)).rejects.toMatchObject({ message: line });
  });

  it.each<[string, Type, DynamicModule[]]>([
    ['ChannelsModule.forRoot({ apps })', ChannelsModule, [PresenceModule.forRoot()]],
    ['PresenceModule.forRoot()', PresenceModule, [ChannelsModule.forRoot({ apps: [testApp] })]],
    ['PushDeviceModule.forRoot({ instances })', PushDeviceModule, []],
    ['PublishModule.forRoot()', PublishModule, [PushDeviceModule.forRoot({ instances: [] })]],
    ['RedisModule.forRoot({ url })', RedisModule, [PresenceModule.forRoot()]],
    ['TypeOrmStorageModule.forRoot({ url })', TypeOrmStorageModule, []],
    ['ConsoleModule.forRoot({ password })', ConsoleModule, columns()],
    ['AuthorizationModule.forRoot()', AuthorizationModule, columns()],
    ['NotificationsModule.forRoot({ apps })', NotificationsModule, columns()],
  ])('of the call of %s', async (call, module, others) => {
    for (const order of [
      [module, ...others],
      [...others, module],
    ])
      await expect(started(...order)).rejects.toMatchObject({
        message: `${call.split('.')[0]} is imported without its settings: write ${call}`,
      });
  });

  it('but starts with empty lists, or modules in another order', async () => {
    const starting = started(
      PublishModule.forRoot(),
      PushDeviceModule.forRoot({ instances: [] }),
      ChannelsModule.forRoot({ apps: [] }),
      PresenceModule.forRoot(),
    );
    await expect(starting).resolves.not.toThrow();
  });
});
