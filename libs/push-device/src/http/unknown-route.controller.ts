import { All, HttpCode, Req } from '@nestjs/common';
import { PathTail, RookeryController, RouteNotFound } from 'rookery/common';
import { refusals } from '../push-device.errors.js';
import { deviceApiPrefix } from './device-api.js';

/** A path parameter that is longer does not reach its route on Fastify. */
const maxParameterLength = 100;

/** Answers what no other route takes; it stands last. */
@RookeryController(deviceApiPrefix)
export class UnknownRouteController {
  @All('*path')
  @HttpCode(200)
  answer(@Req() { method }: { readonly method: string }, @PathTail() path: string): void {
    const [, instanceId = '', , , deviceId = '', ...below] = path.split('/');
    if (instanceId.length > maxParameterLength) throw refusals.invalidInstanceId();
    if (deviceId.length <= maxParameterLength) throw new RouteNotFound();
    // Deleting what is not there is fine.
    if (method !== 'DELETE' || below.length > 0) throw refusals.deviceNotFound();
  }
}
