import { channelsDescription } from '../../libs/channels/src/http/description/channels-api.description.js';
import { DocumentedAnswers } from './documented.js';

/** Those of the Channels HTTP API. Who tests notifications adds what is said of them: other tests need not load it. */
export const documentedChannels = new DocumentedAnswers([channelsDescription()], /\/notifications(\/|$)/);
