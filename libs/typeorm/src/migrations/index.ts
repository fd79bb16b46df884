import type { MigrationInterface } from 'typeorm';
import { CreateDevices1763700000000 } from './1763700000000-create-devices.js';
import { CreatePublishes1763700100000 } from './1763700100000-create-publishes.js';
import { CreateAppsAndInstances1763700200000 } from './1763700200000-create-apps-and-instances.js';
import { FenceWebhooks1763700300000 } from './1763700300000-fence-webhooks.js';
import { HoldDeletions1763800000000 } from './1763800000000-hold-deletions.js';
import { CountReports1763810000000 } from './1763810000000-count-reports.js';
import { CancelPublishes1763900000000 } from './1763900000000-cancel-publishes.js';
import { CreatePublishOutcomes1763910000000 } from './1763910000000-create-publish-outcomes.js';
import { CreatePublishRates1763920000000 } from './1763920000000-create-publish-rates.js';
import { CreateStorageChecks1764000000000 } from './1764000000000-create-storage-checks.js';
import { SeveralKeys1764100000000 } from './1764100000000-several-keys.js';
import { SharePublishes1764200000000 } from './1764200000000-share-publishes.js';
import { SeeDevices1764300000000 } from './1764300000000-see-devices.js';
import { BuryWebhooks1764310000000 } from './1764310000000-bury-webhooks.js';
import { CreateTriggers1764360000000 } from './1764360000000-create-triggers.js';
import { TriggerBySql1764361000000 } from './1764361000000-trigger-by-sql.js';
import { CreateNotifications1764390000000 } from './1764390000000-create-notifications.js';
import { VersionSettings1764396000000 } from './1764396000000-version-settings.js';
import { ListPublishes1764396500000 } from './1764396500000-list-publishes.js';
import { CreateSignIns1764397000000 } from './1764397000000-create-sign-ins.js';
import { CreateJobs1764400000000 } from './1764400000000-create-jobs.js';

/**
 * Every migration, oldest first: one set for both databases. Each database applies those that it lacks, in the
 * order of their timestamps. Add new ones at the end and never change an old one.
 */
export const rookeryMigrations: readonly (new () => MigrationInterface)[] = [
  CreateDevices1763700000000,
  CreatePublishes1763700100000,
  CreateAppsAndInstances1763700200000,
  FenceWebhooks1763700300000,
  HoldDeletions1763800000000,
  CountReports1763810000000,
  CancelPublishes1763900000000,
  CreatePublishOutcomes1763910000000,
  CreatePublishRates1763920000000,
  CreateStorageChecks1764000000000,
  SeveralKeys1764100000000,
  SharePublishes1764200000000,
  SeeDevices1764300000000,
  BuryWebhooks1764310000000,
  CreateTriggers1764360000000,
  TriggerBySql1764361000000,
  CreateNotifications1764390000000,
  VersionSettings1764396000000,
  ListPublishes1764396500000,
  CreateSignIns1764397000000,
  CreateJobs1764400000000,
];
