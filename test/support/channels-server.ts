import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { TriggerFastPath } from '../../apps/server/src/fast-path/trigger-fast-path.js';
import { testApp } from './test-app.js';

export { testApp };

type ModuleOptions = Parameters<typeof ChannelsModule.forRoot>[0] & {
  /** Whether plain triggers are read from their connections, as in the bundled server. @default false */
  readonly bypassRouter?: boolean;
};
type PresenceOptions = Parameters<typeof PresenceModule.forRoot>[0];

export interface ChannelsServer {
  readonly app: NestFastifyApplication;
  readonly port: number;
  close(): Promise<void>;
}

/** A server of ChannelsModule and PresenceModule on a free port of loopback. */
export async function startChannels(
  { bypassRouter = false, ...options }: ModuleOptions = { apps: [testApp] },
  prepare: (app: NestFastifyApplication) => void = () => {},
  presence: PresenceOptions = {},
): Promise<ChannelsServer> {
  const module = await Test.createTestingModule({
    imports: [PresenceModule.forRoot(presence), ChannelsModule.forRoot(options)],
    providers: bypassRouter ? [TriggerFastPath] : [],
  }).compile();
  Logger.overrideLogger(false);
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  prepare(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port, close: () => app.close() };
}
