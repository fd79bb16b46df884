import { Logger, Module, type OnModuleInit } from '@nestjs/common';
import { byForRoot, tokensOf, alias, configurable, importedOnce, type Replacements, shared, ThisNode } from '#common';
import { portNames } from '#http';
import { MemoryPresenceRepository } from './memory-presence.repository.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';

const ports = {
  /** Where the ledger is kept. @default RedisModule's, or in memory, for one process */
  presenceRepository: shared(PresenceRepository, MemoryPresenceRepository),
};

/** What a host may name in `forRoot` and `forRootAsync`. */
export type PresenceExtras = Replacements<typeof ports>;

const services = [PresenceService, ThisNode];
const aliases = services.map((service) => alias(service));

/** The presence ledger: which users are in which room. ChannelsModule builds on it; you can also use it alone. */
@Module({
  providers: [
    importedOnce('PresenceModule', 'forRoot()'),
    ...byForRoot('PresenceModule.forRoot()', tokensOf(ports)),
    ...services,
    ...aliases,
  ],
  exports: [PresenceRepository, ...services, ...aliases],
})
export class PresenceModule extends configurable({ name: 'PresenceModule', ports }) implements OnModuleInit {
  private readonly logger = new Logger(PresenceModule.name);

  constructor(private readonly repository: PresenceRepository) {
    super();
  }

  onModuleInit(): void {
    this.logger.log(portNames({ PresenceRepository: this.repository }));
  }
}
