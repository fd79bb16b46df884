import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { SignedRequestGuard } from '../access/signed-request.guard.js';
import { TextRefusalFilter } from './refusal.js';

/** What all paths of the Channels HTTP API begin with. */
export const channelsApiPrefix = '/apps';

/** The paths of the API: a host may have others under the prefix. */
export const channelsApiPaths = /\/apps\/[^/]+\/(events|batch_events|channels|users)(\/|$)/;

/** A controller of the Channels HTTP API: signed requests in, plain-text refusals out. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(Controller('apps/:appId'), UseGuards(SignedRequestGuard), UseFilters(TextRefusalFilter));
