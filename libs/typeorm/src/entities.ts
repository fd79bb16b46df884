import { AnnouncementEntity } from './announcements/announcement.entity.js';
import { AppEntity, AppKeyEntity } from './apps/app.entities.js';
import { InstanceEntity } from './instances/instance.entity.js';
import { DeviceEntity, DeviceInterestEntity } from './devices/device.entities.js';
import { DeadJobEntity, DroppedDeadJobsEntity, JobEntity } from './jobs/job.entities.js';
import {
  EventOrderEntity,
  HistoryEntity,
  KeptEventEntity,
  RememberedEventEntity,
  SharedTextEntity,
} from './events/event.entities.js';
import { BroadcastChannelEntity, StartTokenEntity } from './live-activities/live-activity.entities.js';
import { NotificationEntity } from './notifications/notification.entity.js';
import {
  PublishEntity,
  PublishKeyEntity,
  PublishLaterOutcomeEntity,
  PublishOutcomesEntity,
  PublishPartitionEntity,
  PublishRetryEntity,
} from './publishes/publish.entities.js';
import { RequestRateEntity } from './rates/request-rate.entity.js';
import { ReportCountEntity, ReportEntity } from './publishes/report.entities.js';
import { StorageCheckEntity } from './health/storage-check.entity.js';
import { SessionEntity, SessionPositionEntity } from './sessions/session.entity.js';
import { SettingChangeEntity } from './settings/setting-change.entity.js';
import { ChartMinuteEntity } from './console/chart-minute.entity.js';
import { EndpointHealthEntity } from './console/endpoint-health.entity.js';
import { SignInEntity } from './console/sign-in.entity.js';
import { TraceBlockEntity } from './console/trace-block.entity.js';
import { TriggerEntity, TriggerRelayEntity } from './triggers/trigger.entities.js';

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
  JobEntity,
  DeadJobEntity,
  DroppedDeadJobsEntity,
  TriggerEntity,
  TriggerRelayEntity,
  NotificationEntity,
  StorageCheckEntity,
  SignInEntity,
  ChartMinuteEntity,
  TraceBlockEntity,
  EndpointHealthEntity,
  EventOrderEntity,
  HistoryEntity,
  KeptEventEntity,
  RememberedEventEntity,
  SharedTextEntity,
  SessionEntity,
  SessionPositionEntity,
  BroadcastChannelEntity,
  StartTokenEntity,
  AnnouncementEntity,
] as const;
