import { All } from '@nestjs/common';
import { RookeryController, RouteNotFound } from '#http';

/** All other routes under our prefixes. It must be the last controller of the module. */
@RookeryController('publish_api/v1', 'customer_api/v1', 'user_api/v1', 'reporting_api/v2')
export class UnknownRoutesController {
  @All('*path')
  unknown(): never {
    throw new RouteNotFound();
  }
}
