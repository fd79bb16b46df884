import { All, HttpCode, Req } from '@nestjs/common';
import { PathTail, RookeryController, RouteNotFound } from '#http';
import { refusals } from '../push-device.errors.js';
import { deviceApiPrefix } from './device-api.js';

/** On Fastify a longer path parameter does not reach its route. */
const maxParameterLength = 100;

/** Answers requests that match no other route; it comes last. */
@RookeryController(deviceApiPrefix)
export class UnknownRouteController {
  @All('*path')
  @HttpCode(200)
  answer(@Req() { method }: { readonly method: string }, @PathTail() path: string): void {
    const [, instanceId = '', , , deviceId = '', ...below] = path.split('/');
    if (instanceId.length > maxParameterLength) throw refusals.invalidInstanceId();
    if (deviceId.length <= maxParameterLength) throw new RouteNotFound();
    // Deleting an unknown device succeeds.
    if (method !== 'DELETE' || below.length > 0) throw refusals.deviceNotFound();
  }
}
