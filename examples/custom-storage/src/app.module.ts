import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { DocumentsController } from './documents.controller.js';
import { FirstStart } from './first-start.js';
import { StoredAppRepository } from './ports/app.repository.js';
import { StoredDeviceRepository } from './ports/device.repository.js';
import { StoredIdempotencyKeys } from './ports/idempotency.keys.js';
import { StoredInstanceRepository } from './ports/instance.repository.js';
import { StoredPublishOutbox } from './ports/publish.outbox.js';
import { StoredReceiptRepository } from './ports/receipt.repository.js';
import { StoredRequestRates } from './ports/request.rates.js';
import { StoredSessionRepository } from './ports/session.repository.js';
import { StoredJobStore } from './ports/job.store.js';
import { StoreModule } from './store/store.module.js';

@Module({
  imports: [
    StoreModule,
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      appRepository: StoredAppRepository,
      sessionRepository: StoredSessionRepository,
      receiptRepository: StoredReceiptRepository,
      idempotencyKeys: StoredIdempotencyKeys,
      requestRates: StoredRequestRates,
      webhookOutbox: StoredJobStore.named('channels-webhooks'),
    }),
    PushDeviceModule.forRoot({
      instanceRepository: StoredInstanceRepository,
      deviceRepository: StoredDeviceRepository,
      requestRates: StoredRequestRates,
    }),
    PublishModule.forRoot({
      publishOutbox: StoredPublishOutbox,
      requestRates: StoredRequestRates,
      webhookOutbox: StoredJobStore.named('push-webhooks'),
    }),
  ],
  controllers: [DocumentsController],
  providers: [StoredAppRepository, StoredInstanceRepository, FirstStart],
})
export class AppModule {}
