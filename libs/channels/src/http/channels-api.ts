import { applyDecorators, Controller, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { SignedRequestGuard } from '../access/signed-request.guard.js';
import { TextRefusalFilter } from './text-refusal.filter.js';

/** What all paths of the Channels HTTP API begin with. */
export const channelsApiPrefix = '/apps';

/** The paths of the API: a host may have others under the prefix. */
export const channelsApiPaths = /\/apps\/[^/]+\/(events|batch_events|channels|users)(\/|$)/;

/** A controller of the Channels HTTP API: signed requests in, plain-text refusals out. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(
    // A host's versioning has no say in the API's paths.
    Controller({ path: 'apps/:appId', version: VERSION_NEUTRAL }),
    UseGuards(SignedRequestGuard),
    UseFilters(TextRefusalFilter),
  );
