import type { DynamicModule } from '@nestjs/common';
import { AuthorizationModule, ChannelAuthorizer, UserAuthenticator } from 'rookery/authorization';
import { ClientEventAuthorizer, OnClientEvent, OnMemberAdded } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { OnDeviceRemoved, OnPublishFinished } from 'rookery/publish';
import { expect, it } from 'vitest';
import { createHost, everyModule } from '../support/embedding-host.js';

class Rooms {
  @ChannelAuthorizer('private-rooms.{room}')
  @ChannelAuthorizer('private-halls.{hall}')
  canSee(): boolean {
    return true;
  }

  @UserAuthenticator()
  signIn() {
    return { id: 'alice' };
  }

  @ClientEventAuthorizer()
  maySay(): boolean {
    return true;
  }

  @OnMemberAdded('presence-rooms.*')
  @OnClientEvent()
  heard(): void {}

  @OnPublishFinished()
  @OnDeviceRemoved()
  pushed(): void {}
}

/** The warnings of an application with these methods and these modules of Rookery's. */
async function warnings(...imports: NonNullable<DynamicModule['imports']>): Promise<readonly string[]> {
  const { app, lines } = await createHost({ imports, providers: [Rooms] });
  await app.init();
  await app.close();
  return lines
    .filter(({ level, text }) => level === 'warn' && text.startsWith('Rooms.'))
    .map(({ text }) => text)
    .toSorted();
}

const uncalled = (method: string, decorators: string, line: string, from: string): string =>
  `Rooms.${method} has ${decorators}, but nothing calls it: add ${line} of ${from} to the imports of the root module`;

const ofAuthorization = [
  uncalled('canSee', '@ChannelAuthorizer()', 'AuthorizationModule.forRoot()', 'rookery/authorization'),
  uncalled('signIn', '@UserAuthenticator()', 'AuthorizationModule.forRoot()', 'rookery/authorization'),
];

it('warns of methods whose module the application does not import', async () => {
  expect(await warnings(PresenceModule.forRoot())).toEqual(
    [
      ...ofAuthorization,
      uncalled('heard', '@OnClientEvent(), @OnMemberAdded()', 'ChannelsModule.forRoot({ apps })', 'rookery/channels'),
      uncalled('maySay', '@ClientEventAuthorizer()', 'ChannelsModule.forRoot({ apps })', 'rookery/channels'),
      uncalled('pushed', '@OnDeviceRemoved(), @OnPublishFinished()', 'PublishModule.forRoot()', 'rookery/publish'),
    ].toSorted(),
  );
});

it('warns once, of one missing module beside the others', async () => {
  expect(await warnings(...everyModule())).toEqual(ofAuthorization);
});

it('does not warn where every module is there', async () => {
  expect(await warnings(...everyModule(), AuthorizationModule.forRoot())).toEqual([]);
});
