import { UseGuards } from '@nestjs/common';
import { JsonBodyGuard, JsonContentTypeGuard, ValidBodyGuard } from '#http';
import { AuthorizationGuard, InstanceKeyGuard } from 'rookery/internal/push-device';
import { PublishInstanceGuard } from './instance-guards.js';
import { RequestCountGuard, RequestRateGuard } from './request-rate.guards.js';

/** The checks of a publish, and of other requests with a body and the secret key, in the order of beams-wire §12.6. */
export const UsePublishGuards = () =>
  UseGuards(
    JsonContentTypeGuard,
    AuthorizationGuard,
    JsonBodyGuard,
    PublishInstanceGuard,
    InstanceKeyGuard,
    RequestCountGuard,
    ValidBodyGuard,
    RequestRateGuard,
  );
