import { applyDecorators, UseGuards } from '@nestjs/common';
import { RookeryController } from '#http';
import { SignedRequestGuard } from './signed-request.guard.js';

/** The prefix of all paths of the Channels HTTP API. */
export const channelsApiPrefix = '/apps';

/** Matches the paths of the API, those of features too: a host may serve others under the prefix. */
export const channelsApiPaths = (ofFeatures: readonly string[]): RegExp => {
  const paths = ['events', 'batch_events', 'channels', 'connections', 'users', 'webhooks/dead', ...ofFeatures];
  return new RegExp(`/apps/[^/]+/(${paths.join('|')})(/|$)`);
};

/** Marks a controller of the Channels HTTP API, whose requests are signed. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(RookeryController('apps/:appId'), UseGuards(SignedRequestGuard));
