import type { DynamicModule } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { testApp } from '../support/channels-server.js';
import { createHost } from '../support/embedding-host.js';

const started = async (...imports: DynamicModule[]): Promise<void> => {
  const { app } = await createHost({ imports });
  await app.init();
  await app.close();
};

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
