import { type DynamicModule, Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import type { ServerConfig } from './config/config.js';
import { HealthController } from './health/health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './health/readiness.js';

/** Everything the server is made of. */
@Module({})
export class AppModule {
  static forRoot({ apps }: ServerConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps })],
      controllers: [HealthController, MetricsController],
      providers: [Readiness],
    };
  }
}
