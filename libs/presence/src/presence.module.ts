import { ConfigurableModuleBuilder, type DynamicModule, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { bind, type Implementation, importedOnce, lend, lentOr, portNames, ThisNode } from 'rookery/common';
import { MemoryPresenceRepository } from './memory-presence.repository.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';

/** What a host may name in `forRoot` and `forRootAsync` besides the options. */
export interface PresenceExtras {
  /** Where the ledger is kept. @default RedisModule's, or in memory, for one process */
  readonly presenceRepository?: Implementation<PresenceRepository>;
  /** Modules whose exports the repository injects. */
  readonly imports?: DynamicModule['imports'];
}

/** The providers ChannelsModule uses. */
const lent = [lend(PresenceService), lend(ThisNode)];

// Every key is listed here, so that none of them ends up in the options.
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

/** The presence ledger: which users are in which room. ChannelsModule builds on it; you can also use it alone. */
@Module({ providers: [importedOnce('PresenceModule', 'forRoot()')] })
export class PresenceModule extends ConfigurableModuleClass implements OnModuleInit {
  private readonly logger = new Logger(PresenceModule.name);

  constructor(private readonly repository: PresenceRepository) {
    super();
  }

  /** Keeps the ledger in memory, for one process, unless `presenceRepository` names another. */
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
