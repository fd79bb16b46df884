import type { Provider } from '@nestjs/common';
import {
  AppRepository,
  Apps,
  Broker,
  ChannelRepository,
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
  borrow(Broker, missing),
  borrow(ChannelRepository, missing),
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
