import type { Wing } from '../wing.js';
import { LiveStreams } from './live-streams.js';
import { SilentStreams } from './silent-streams.js';
import { StreamRequests } from './stream-requests.js';
import { StreamsPart } from './streams.part.js';
import { StreamsService } from './streams.service.js';

/** Servers send texts while these are written (docs/streams.md). */
export const streams = {
  providers: [LiveStreams, SilentStreams, StreamsService],
  exports: [StreamsService],
  part: StreamsPart,
  clientEventStep: StreamRequests,
} satisfies Wing;
