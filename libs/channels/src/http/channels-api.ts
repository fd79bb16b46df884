import { applyDecorators, UseGuards } from '@nestjs/common';
import { RookeryController } from 'rookery/common';
import { SignedRequestGuard } from '../access/signed-request.guard.js';

/** What all paths of the Channels HTTP API begin with. */
export const channelsApiPrefix = '/apps';

/** The paths of the API: a host may have others under the prefix. */
export const channelsApiPaths = /\/apps\/[^/]+\/(events|batch_events|channels|users|webhooks\/dead)(\/|$)/;

/** A controller of the Channels HTTP API: of signed requests. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(RookeryController('apps/:appId'), UseGuards(SignedRequestGuard));
