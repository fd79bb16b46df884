import type { DynamicModule } from '@nestjs/common';
import { AuthorizationModule, ChannelAuthorizer } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RedisModule } from 'rookery/redis';
import { PostgresClusterModule, TypeOrmStorageModule } from 'rookery/typeorm';
import { describe, expect, it } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { createHost, everyModule } from '../support/embedding-host.js';

class Orders {
  @ChannelAuthorizer('private-orders.*')
  canSee(): boolean {
    return true;
  }
}

const started = async (...imports: NonNullable<DynamicModule['imports']>): Promise<void> => {
  const { app } = await createHost({ imports, providers: [Orders] });
  await app.init();
  await app.close();
};

const otherApp = { id: 'other-app', key: 'other-key', secret: 'other-secret' };

/** A module of the host's that imports one of Rookery's for itself. */
const feature = (imported: DynamicModule): DynamicModule => {
  class ShopModule {}
  return { module: ShopModule, imports: [imported] };
};

describe('an application that imports a module twice does not start', () => {
  it.each<[string, (() => DynamicModule)[], string]>([
    ['PresenceModule', [() => PresenceModule.forRoot()], 'forRoot()'],
    ['ChannelsModule', [() => ChannelsModule.forRoot({ apps: [otherApp] })], 'forRoot({ apps: [one, another] })'],
    ['PushDeviceModule', [() => PushDeviceModule.forRoot({ instances: [] })], 'forRoot({ instances: [one, another] })'],
    ['PublishModule', [() => PublishModule.forRoot()], 'forRoot()'],
    ['NotificationsModule', Array(2).fill(() => NotificationsModule.forRoot()), 'forRoot({ apps: [one, another] })'],
    ['AuthorizationModule', Array(2).fill(() => AuthorizationModule.forRoot()), 'forRoot()'],
    [
      'ConsoleModule',
      Array(2).fill(() => ConsoleModule.forRoot({ password: 'a long password' })),
      'forRoot({ password })',
    ],
    [
      'TypeOrmStorageModule',
      Array(2).fill(() => TypeOrmStorageModule.forRoot({ url: 'sqlite::memory:' })),
      'forRoot({ url })',
    ],
    ['PostgresClusterModule', Array(2).fill(() => PostgresClusterModule.forRoot()), 'forRoot()'],
    ['RedisModule', Array(2).fill(() => RedisModule.forRoot({ url: 'redis://127.0.0.1:1' })), 'forRoot({ url })'],
  ])('%s', async (name, repeated, line) => {
    const message =
      `${name} is imported 2 times, but an application can have it only once: write one ${name}.${line} ` +
      'in the root module. Every module can inject what it exports without importing it';
    const modules = () => repeated.map((one) => one());
    await expect(started(...everyModule(), ...modules())).rejects.toMatchObject({ message });
    // Whatever order they stand in, also by way of another module.
    await expect(started(...modules().map(feature), ...everyModule())).rejects.toMatchObject({ message });
  });

  it('but starts if two modules import the same one', async () => {
    const shared = ChannelsModule.forRoot({ apps: [testApp] });
    await expect(started(PresenceModule.forRoot(), shared, feature(shared))).resolves.toBeUndefined();
  });

  it('and each of two applications has its own', async () => {
    const first = await createHost({});
    await first.app.init();
    await expect(started(...everyModule())).resolves.toBeUndefined();
    await first.app.close();
  });
});
