import type { Provider } from '@nestjs/common';
import {
  AppRepository,
  Apps,
  ChannelsDeadLetters,
  ChannelsMetrics,
  ChannelsSettings,
  EventsService,
  NodeCalls,
  Observation,
  OpenConnections,
} from 'rookery/channels';
import { borrow, ThisNode } from 'rookery/common';
import { PresenceService } from 'rookery/presence';
import { PushColumn } from './push/push-column.js';

const missing = 'ConsoleModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';

/** Of ChannelsModule and PresenceModule; of the push modules what there is. */
export const borrowed: readonly Provider[] = [
  borrow(Apps, missing),
  borrow(AppRepository, missing),
  // Broker and ChannelRepository are those that ChannelsModule exports: under the names by which ports are lent, they
  // would be found by ChannelsModule itself, in place of those of RedisModule.
  borrow(ChannelsDeadLetters, missing),
  borrow(ChannelsMetrics, missing),
  borrow(ChannelsSettings, missing),
  borrow(EventsService, missing),
  borrow(NodeCalls, missing),
  borrow(Observation, missing),
  borrow(OpenConnections, missing),
  borrow(PresenceService, missing),
  borrow(ThisNode, missing),
  PushColumn.provider,
];
