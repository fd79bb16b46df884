import { createServer } from 'node:http';
import { HttpAdapterHost } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { PublishModule, PublishService } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { type Item, RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { Party } from '../../../libs/testing/src/simulation/party.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Prepare } from '../prepare.js';
import { silent } from '../silent.js';
import { type Gateways, SimulatedGateway } from './gateway.js';
import { RemoteDeviceRepository, RemotePublishOutbox } from './ports.js';
import type { Audience } from './schedule.js';
import { instance } from './store.js';

/** The most devices that a crash may send to twice. */
export const pageSize = 9;

/** What a node is made of. */
export interface BeamsNodeParts {
  readonly world: World;
  readonly gateways: Gateways;
  readonly prepare: Prepare;
  /** Takes what the node sends to the store. */
  readonly send: (items: readonly Item[]) => void;
}

class LinkModule {}

/** A process that accepts and delivers publishes: the real modules, whose stored ports are at the other end of a link. */
export class BeamsNode {
  readonly party: Party;
  readonly link: RpcLink;
  isDraining = false;
  private module: TestingModule | undefined;

  constructor(
    readonly name: string,
    private readonly parts: BeamsNodeParts,
  ) {
    this.party = new Party(name);
    this.link = new RpcLink((items) => parts.send(JSON.parse(JSON.stringify(items)) as readonly Item[]));
  }

  get isAlive(): boolean {
    return this.party.state !== 'dead';
  }

  /** Time stands still meanwhile. */
  async start(): Promise<void> {
    const { world, gateways, prepare } = this.parts;
    const { link, party } = this;
    await world.standStill(party, async () => {
      const gateway = (platform: SimulatedGateway['platform']) => ({
        useValue: new SimulatedGateway(world, platform, gateways, party),
      });
      const builder = Test.createTestingModule({
        imports: [
          // So that a planted fault reaches the store.
          {
            module: LinkModule,
            global: true,
            providers: [{ provide: RpcLink, useValue: link }],
            exports: [RpcLink],
          },
          PushDeviceModule.forRoot({
            instances: [instance],
            deviceRepository: { useValue: new RemoteDeviceRepository(link) },
          }),
          PublishModule.forRoot({
            pageSize,
            pollMs: 5000,
            longestRetryMs: 30_000,
            publishOutbox: { useValue: new RemotePublishOutbox(link) },
            apnsGateway: gateway('apns'),
            fcmGateway: gateway('fcm'),
            webGateway: gateway('web'),
          }),
        ],
      });
      this.module = await prepare(builder.setLogger(silent)).compile();
      const server = createServer();
      const routes = Object.fromEntries(
        ['get', 'post', 'put', 'patch', 'delete', 'all', 'use'].map((verb) => [verb, () => {}]),
      );
      this.module.get(HttpAdapterHost).httpAdapter = {
        ...routes,
        getType: () => 'none',
        getHttpServer: () => server,
      } as never;
      await this.module.init();
    });
  }

  /** Resolves when the publish is accepted. A repeat with the same id sends nothing more. */
  async publish(id: string, audience: Audience): Promise<{ readonly publishId: string }> {
    const publishes = this.module!.get(PublishService, { strict: false });
    const notification = { title: id };
    const payloads = { apns: { aps: { alert: notification } }, fcm: { notification }, web: { notification } };
    return audience.interests
      ? publishes.publishToInterests(instance.id, { ...audience, ...payloads }, { idempotencyKey: id })
      : publishes.publishToUsers(instance.id, { users: [...audience.users], ...payloads }, { idempotencyKey: id });
  }

  /** It ends in good order: resolves when its process would exit. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.module?.close();
  }
}
