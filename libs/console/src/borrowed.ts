import type { Provider } from '@nestjs/common';
import {
  AppRepository,
  Apps,
  ChannelsDeadLetters,
  ChannelsMetrics,
  ChannelsSettings,
  EventsService,
  NodeRpc,
  ActivityTap,
  OpenConnections,
} from 'rookery/channels';
import { borrow, ThisNode } from 'rookery/common';
import { PresenceService } from 'rookery/presence';
import { PushColumn } from './push/push-column.js';

const missing = 'ConsoleModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';

/** The providers of ChannelsModule and PresenceModule, and of the push modules that are present. */
export const borrowed: readonly Provider[] = [
  borrow(Apps, missing),
  borrow(AppRepository, missing),
  // Broker and ChannelRepository are ChannelsModule's exports: under the names used for lending ports, ChannelsModule
  // itself would find them instead of those of RedisModule.
  borrow(ChannelsDeadLetters, missing),
  borrow(ChannelsMetrics, missing),
  borrow(ChannelsSettings, missing),
  borrow(EventsService, missing),
  borrow(NodeRpc, missing),
  borrow(ActivityTap, missing),
  borrow(OpenConnections, missing),
  borrow(PresenceService, missing),
  borrow(ThisNode, missing),
  PushColumn.provider,
];
