import { Module } from '@nestjs/common';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { TypeOrmDeviceRepository, TypeOrmPublishOutbox, TypeOrmStorageModule } from 'rookery/typeorm';
import { NewsController } from './news.controller.js';
import { PageController } from './page.controller.js';
import { folder, instance } from './settings.js';

@Module({
  imports: [
    TypeOrmStorageModule.forRoot({ url: `sqlite:${folder}/web-push.db` }),
    PushDeviceModule.forRoot({ instances: [instance], deviceRepository: TypeOrmDeviceRepository }),
    PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox }),
  ],
  controllers: [PageController, NewsController],
})
export class AppModule {}
