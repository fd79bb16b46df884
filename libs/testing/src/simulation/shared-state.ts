import type { InjectionToken } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { defaultsOf } from 'rookery/internal/common';
import {
  ChannelRepository,
  IdempotencyKeys,
  InProcessBroker,
  MemoryChannelRepository,
  MemoryIdempotencyKeys,
  MemoryRequestRates,
  MemorySessionRepository,
  RequestRates,
  SessionRepository,
} from 'rookery/channels';
import { channelsWingPorts } from 'rookery/internal/channels';
import { publishWingPorts } from 'rookery/internal/publish';
import { MemoryJobStore } from 'rookery/jobs';
import { MemoryNotificationRepository, NotificationRepository } from 'rookery/notifications';
import { MemoryPresenceRepository, PresenceRepository } from 'rookery/presence';
import { MemoryPublishOutbox, PublishOutbox } from 'rookery/publish';
import { DeviceRepository, MemoryDeviceRepository } from 'rookery/push-device';
import { Party } from './party.js';
import { SharedBroker } from './simulated-broker.js';

interface Started {
  onModuleInit?: () => unknown;
}

/** What all processes share: Rookery's ports, in memory, and the providers that stand for the host's database. */
export class SharedState {
  readonly party = new Party('store');
  readonly broker = new SharedBroker(new InProcessBroker());
  readonly devices = new MemoryDeviceRepository();
  readonly outbox = new MemoryPublishOutbox();
  /** Rookery's queues of webhooks. */
  readonly webhooks = { channels: new MemoryJobStore(), publish: new MemoryJobStore() };
  readonly provided = new Map<unknown, object>([
    ...defaultsOf({ ...channelsWingPorts, ...publishWingPorts }),
    [PresenceRepository, new MemoryPresenceRepository()],
    [ChannelRepository, new MemoryChannelRepository()],
    [SessionRepository, new MemorySessionRepository()],
    [IdempotencyKeys, Object.assign(new MemoryIdempotencyKeys(), { outlivesProcesses: true })],
    [RequestRates, new MemoryRequestRates()],
    [DeviceRepository, this.devices],
    [PublishOutbox, this.outbox],
    [NotificationRepository, new MemoryNotificationRepository()],
  ]);

  /** @param module the host's module, compiled and never started: these providers of it are the shared ones */
  async take(module: TestingModule, tokens: readonly InjectionToken[]): Promise<void> {
    for (const token of tokens) {
      const provided = module.get<Started>(token, { strict: false });
      await provided.onModuleInit?.();
      this.provided.set(token, provided);
    }
  }
}
