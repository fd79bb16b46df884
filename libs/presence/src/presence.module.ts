import { ConfigurableModuleBuilder, type DynamicModule, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { bind, type Implementation, importedOnce, lend, lentOr, portNames, ThisNode } from 'rookery/common';
import { MemoryPresenceRepository } from './memory-presence.repository.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';

/** What a host may name in `forRoot` and `forRootAsync` beside the options. */
export interface PresenceExtras {
  /** Where the ledger is kept. @default RedisModule's, or in memory, for one process */
  readonly presenceRepository?: Implementation<PresenceRepository>;
  /** Modules whose exports it needs. */
  readonly imports?: DynamicModule['imports'];
}

/** What ChannelsModule stands on. */
const lent = [lend(PresenceService), lend(ThisNode)];

// All keys stand here, so that none of them reaches the options.
const extras: PresenceExtras = { presenceRepository: undefined, imports: undefined };

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<object>()
  .setClassMethodName('forRoot')
  .setExtras<PresenceExtras>(extras, (module, { presenceRepository, imports = [] }) => ({
    ...module,
    global: true,
    imports: [...(module.imports ?? []), ...imports],
    providers: [
      ...(module.providers ?? []),
      bind(PresenceRepository, presenceRepository, lentOr(PresenceRepository, MemoryPresenceRepository)),
      PresenceService,
      ThisNode,
      ...lent,
    ],
    exports: [PresenceRepository, PresenceService, ThisNode, ...lent],
  }))
  .build();

/** The presence ledger: who is in which room. ChannelsModule stands on it; it can be used alone. */
@Module({ providers: [importedOnce('PresenceModule', 'forRoot()')] })
export class PresenceModule extends ConfigurableModuleClass implements OnModuleInit {
  private readonly logger = new Logger(PresenceModule.name);

  constructor(private readonly repository: PresenceRepository) {
    super();
  }

  /** One process, in memory, unless `presenceRepository` names another ledger. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }

  onModuleInit(): void {
    this.logger.log(portNames({ PresenceRepository: this.repository }));
  }
}
