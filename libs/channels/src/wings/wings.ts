import { foldPorts } from '#common';
import type { Wing } from './wing.js';
import { CachePart } from './cache/cache.part.js';
import { mirror } from './mirror/mirror.wing.js';
import { OccupancyPart } from './occupancy/occupancy.part.js';
import { PresencePart } from './presence/presence.part.js';
import { receipts } from './receipts/receipts.wing.js';
import { requests } from './requests/requests.wing.js';
import { SessionsPart } from './sessions/sessions.part.js';
import { state } from './state/state.wing.js';
import { streams } from './streams/streams.wing.js';

/** The features, in the order in which they enter subscriptions and take their steps. */
export const wings = [
  { part: SessionsPart },
  state,
  { part: OccupancyPart },
  { part: PresencePart },
  streams,
  { part: CachePart },
  receipts,
  mirror,
  requests,
] as const satisfies readonly Wing[];

/** The ports of all features: no two have the same name. */
export const wingPorts = foldPorts(wings);

const all: readonly Wing[] = wings;

/** What ChannelsModule takes of all features. */
export const folded = {
  parts: all.flatMap(({ part }) => part ?? []),
  steps: all.flatMap(({ step }) => step ?? []),
  clientEventSteps: all.flatMap(({ clientEventStep }) => clientEventStep ?? []),
  clients: all.flatMap(({ client }) => client ?? []),
  listened: Object.assign({}, ...all.map(({ listened }) => listened)) as Required<Wing>['listened'],
  attributes: Object.fromEntries(all.flatMap(({ attributes = {} }) => Object.entries(attributes))),
  messages: all.flatMap(({ messages = [] }) => messages),
  providers: all.flatMap(({ providers = [] }) => providers),
  controllers: all.flatMap(({ controllers = [] }) => controllers),
  paths: all.flatMap(({ paths = [] }) => paths),
  exports: all.flatMap(({ exports = [], ports = {} }) => [...exports, ...Object.values(ports).map(({ port }) => port)]),
};
