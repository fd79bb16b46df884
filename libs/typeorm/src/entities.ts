import { AppEntity } from './apps/app.entity.js';
import { AppKeyEntity } from './apps/app-key.entity.js';
import { InstanceEntity } from './instances/instance.entity.js';
import { GatewayAnswersEntity } from './deletions/gateway-answers.entity.js';
import { GoneDeviceEntity } from './deletions/gone-device.entity.js';
import { PublishDeletionsEntity } from './deletions/publish-deletions.entity.js';
import { DeviceEntity } from './devices/device.entity.js';
import { DeviceInterestEntity } from './devices/device-interest.entity.js';
import { DeadJobEntity } from './jobs/dead-job.entity.js';
import { JobEntity } from './jobs/job.entity.js';
import { EventOrderEntity } from './events/event-order.entity.js';
import { HistoryEntity } from './events/history.entity.js';
import { KeptEventEntity } from './events/kept-event.entity.js';
import { RememberedEventEntity } from './events/remembered-event.entity.js';
import { NotificationEntity } from './notifications/notification.entity.js';
import { PublishEntity } from './publishes/publish.entity.js';
import { PublishKeyEntity } from './publishes/publish-key.entity.js';
import { PublishPartitionEntity } from './publishes/publish-partition.entity.js';
import { PublishLaterOutcomeEntity } from './publishes/publish-later-outcome.entity.js';
import { PublishOutcomesEntity } from './publishes/publish-outcomes.entity.js';
import { PublishRetryEntity } from './publishes/publish-retry.entity.js';
import { ReportCountEntity } from './reports/report-count.entity.js';
import { RequestRateEntity } from './rates/request-rate.entity.js';
import { ReportEntity } from './reports/report.entity.js';
import { StorageCheckEntity } from './health/storage-check.entity.js';
import { SessionEntity } from './sessions/session.entity.js';
import { SettingChangeEntity } from './settings/setting-change.entity.js';
import { SignInEntity } from './sign-ins/sign-in.entity.js';
import { TriggerEntity } from './triggers/trigger.entity.js';
import { TriggerRelayEntity } from './triggers/trigger-relay.entity.js';

/** All of Rookery's tables as entities. A host can add them to its own data source to query them, but need not. */
export const rookeryEntities = [
  AppEntity,
  AppKeyEntity,
  InstanceEntity,
  SettingChangeEntity,
  DeviceEntity,
  DeviceInterestEntity,
  PublishEntity,
  PublishPartitionEntity,
  PublishRetryEntity,
  PublishOutcomesEntity,
  PublishLaterOutcomeEntity,
  PublishKeyEntity,
  RequestRateEntity,
  ReportEntity,
  ReportCountEntity,
  GoneDeviceEntity,
  GatewayAnswersEntity,
  PublishDeletionsEntity,
  JobEntity,
  DeadJobEntity,
  TriggerEntity,
  TriggerRelayEntity,
  NotificationEntity,
  StorageCheckEntity,
  SignInEntity,
  EventOrderEntity,
  HistoryEntity,
  KeptEventEntity,
  RememberedEventEntity,
  SessionEntity,
] as const;
