import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { SignedRequestGuard } from '../access/signed-request.guard.js';
import { TextRefusalFilter } from './refusal.js';

/** What all paths of the Channels HTTP API begin with. */
export const channelsApiPrefix = '/apps';

/** A controller of the Channels HTTP API: signed requests in, plain-text refusals out. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(Controller('apps/:appId'), UseGuards(SignedRequestGuard), UseFilters(TextRefusalFilter));
