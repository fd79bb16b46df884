import { alias, foldPorts } from '#common';
import { liveActivities } from './live-activities/live-activities.wing.js';
import type { Wing } from './wing.js';

/** The features. Of their steps, the first one that delivers a publish does so. */
export const wings = [liveActivities] as const satisfies readonly Wing[];

/** The ports of all features: no two have the same name. */
export const wingPorts = foldPorts(wings);

const all: readonly Wing[] = wings;

/** What PublishModule takes of all features. */
export const folded = {
  providers: all.flatMap(({ providers = [] }) => providers),
  services: all.flatMap(({ services }) => services.flatMap((service) => [service, alias(service)])),
  controllers: all.flatMap(({ controllers }) => controllers),
  steps: all.map(({ step }) => step),
};
