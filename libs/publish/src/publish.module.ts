import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Logger,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  bind,
  type Implementation,
  jsonRefusal,
  MemoryWebhookOutbox,
  serveRaw,
  WebhookOutbox,
  WebhookSender,
} from 'rookery/common';
import { ApnsGateway } from './delivery/apns/apns.gateway.js';
import { FcmGateway } from './delivery/fcm/fcm.gateway.js';
import type { PushGateway } from './delivery/push.gateway.js';
import { PushGateways } from './delivery/push-gateways.js';
import { WebPushGateway } from './delivery/web/web-push.gateway.js';
import { DeletionGuard } from './fan-out/deletion-guard.js';
import { FanOutPorts } from './fan-out/fan-out.ports.js';
import { FanOutWorker } from './fan-out/fan-out.worker.js';
import { FaultLog } from './fan-out/fault-log.js';
import { publishApis } from './http/publish-apis.js';
import { PublishesController } from './http/publishes.controller.js';
import { ReportsController } from './http/reports.controller.js';
import { RequestRate } from './http/request-rate.js';
import { UnknownRoutesController } from './http/unknown-routes.controller.js';
import { UsersController } from './http/users.controller.js';
import { MemoryPublishOutbox } from './outbox/memory-publish.outbox.js';
import { PublishOutbox } from './outbox/publish.outbox.js';
import { Retention } from './outbox/retention.js';
import { type Clock, publishClock, publishOptions, type PublishOptions, PublishSettings } from './publish.options.js';
import { PublishService } from './publish.service.js';
import { MemoryReportRepository } from './reports/memory-report.repository.js';
import { ReportRepository } from './reports/report.repository.js';
import { ReportsService } from './reports/reports.service.js';
import { PublishWebhooks } from './webhooks/publish.webhooks.js';

/** What stands beside the options in `forRoot` and `forRootAsync`: the ports, and what they need. */
export interface PublishPorts {
  /** @default in memory */
  readonly outbox?: Implementation<PublishOutbox>;
  /** @default in memory */
  readonly reports?: Implementation<ReportRepository>;
  /** @default in memory */
  readonly webhookOutbox?: Implementation<WebhookOutbox>;
  /** @default Apple's */
  readonly apnsGateway?: Implementation<PushGateway>;
  /** @default Google's */
  readonly fcmGateway?: Implementation<PushGateway>;
  /** @default the browser vendors' */
  readonly webGateway?: Implementation<PushGateway>;
  /** Modules whose providers the ports inject. */
  readonly imports?: DynamicModule['imports'];
}
