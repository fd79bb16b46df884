import { alias } from '#common';
import { liveActivities } from './live-activities/live-activities.wing.js';
import type { Wing } from './wing.js';

/** The features. Of their steps, the first one that delivers a publish does so. */
export const wings: readonly Wing[] = [liveActivities];

/** What PublishModule takes of all features. */
export const folded = {
  requires: wings.flatMap(({ requires }) => requires),
  services: wings.flatMap(({ services }) => services.flatMap((service) => [service, alias(service)])),
  controllers: wings.flatMap(({ controllers }) => controllers),
  steps: wings.map(({ step }) => step),
};
