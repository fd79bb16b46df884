import { Controller, Get, type INestApplication, Injectable, Param } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsModule, EventsService, RookeryError } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { type InterestsPublish, PublishModule, PublishService } from 'rookery/publish';
import { DevicesService, DeviceTokens, PushDeviceModule } from 'rookery/push-device';
import { testApp } from '../support/channels-server.js';
import { createHost, listen, type Platform } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';

const silentApp = { id: 'silent', key: 'silent-key', secret: 'silent-secret' };
const mention = { event: { name: 'mention', data: {} } };
const hello: InterestsPublish = { interests: ['hello'], web: { notification: { title: 'Hello' } } };

/** What an application calls that it should not. */
@Injectable()
class Mistakes {
  constructor(
    private readonly events: EventsService,
    private readonly publishes: PublishService,
    private readonly notifications: NotificationsService,
    private readonly devices: DevicesService,
    private readonly tokens: DeviceTokens,
  ) {}

  readonly all: Readonly<Record<string, () => Promise<unknown>>> = {
    reservedName: () => this.events.trigger(testApp.id, { channel: 'c', name: 'pusher:mine', data: {} }),
    invalidChannel: () => this.events.trigger(testApp.id, { channel: 'a channel', name: 'e', data: {} }),
    unknownApp: () => this.events.trigger('another', { channel: 'c', name: 'e', data: {} }),
    unknownTenant: () => this.notifications.notify('ann', mention, silentApp.id),
    unknownNotification: () => this.notifications.read('none', testApp.id),
    noInterests: () => this.publishes.publishToInterests(instance.id, { ...hello, interests: [] }),
    unknownInstance: () => this.publishes.publishToInterests('none', hello),
    unknownPublish: () => this.publishes.status(instance.id, 'none'),
    unknownDevice: () => this.devices.find({ instanceId: instance.id, platform: 'web', id: 'web-none' }),
    tokenOfUnknownInstance: () => this.tokens.issue('none', 'ann'),
  };
}

@Controller('shop')
class ShopController {
  constructor(private readonly mistakes: Mistakes) {}

  @Get(':mistake')
  make(@Param('mistake') mistake: string) {
    return this.mistakes.all[mistake]!();
  }
}

const told: [mistake: string, code: string, message: string][] = [
  ['reservedName', 'bad_request', "Event name 'pusher:mine' is reserved: it begins with pusher: or pusher_internal:"],
  ['invalidChannel', 'invalid_channel', "Invalid channel name: 'a channel'"],
  ['unknownApp', 'app_not_found', 'There is no app with the id "another"'],
  ['unknownTenant', 'not_notifying', 'Notifications are not configured for this app'],
  ['unknownNotification', 'notification_not_found', 'Notification not found'],
  ['noInterests', 'invalid_body', '`interests`: Array must have at least 1 items'],
  ['unknownInstance', 'instance_not_found', 'Could not find the instance'],
  ['unknownPublish', 'publish_not_found', 'Publish not found'],
  ['unknownDevice', 'device_not_found', 'Device not found'],
  ['tokenOfUnknownInstance', 'instance_not_found', 'Could not find the instance'],
];

describe.each<Platform>(['Fastify', 'Express'])('errors of services in a host on %s', (platform) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const imports = [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [testApp, silentApp] }),
      PushDeviceModule.forRoot({ instances: [instance] }),
      PublishModule.forRoot(),
      NotificationsModule.forRoot({ apps: [{ app: testApp.id }] }),
    ];
    ({ app } = await createHost({ platform, imports, controllers: [ShopController], providers: [Mistakes] }));
    ({ url } = await listen(app));
  });
  afterAll(() => app.close());

  it.each(told)('has a code and a message: %s', async (mistake, code, message) => {
    const thrown: unknown = await app.get(Mistakes).all[mistake]!().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(RookeryError);
    expect(thrown).toMatchObject({ code, message });
    expect(String(thrown)).toMatch(/^(RookeryError|ApiError|ChannelsApiError): /);
  });

  it("is not the answer to the host's own user", async () => {
    for (const [mistake] of told) {
      const answer = await fetch(`${url}/shop/${mistake}`);
      expect(await answer.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
    }
  });
});
