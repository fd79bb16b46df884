import { channelsDescription } from '../../libs/channels/src/channels.providers.js';
import { DocumentedAnswers } from './documented.js';

/** Those of the Channels HTTP API. Tests of notifications add those of notifications, which other tests need not load. */
export const documentedChannels = new DocumentedAnswers([channelsDescription()], /\/notifications(\/|$)/);
