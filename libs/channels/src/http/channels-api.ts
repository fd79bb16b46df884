import { applyDecorators, UseGuards } from '@nestjs/common';
import { RookeryController } from '#http';
import { SignedRequestGuard } from '../access/signed-request.guard.js';

/** The prefix of all paths of the Channels HTTP API. */
export const channelsApiPrefix = '/apps';

/** Matches the paths of the API: a host may serve others under the prefix. */
export const channelsApiPaths =
  /\/apps\/[^/]+\/(events|batch_events|channels|connections|receipts|users|webhooks\/dead)(\/|$)/;

/** Marks a controller of the Channels HTTP API, whose requests are signed. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(RookeryController('apps/:appId'), UseGuards(SignedRequestGuard));
