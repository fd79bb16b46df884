import { All, Controller, UseFilters, VERSION_NEUTRAL } from '@nestjs/common';
import { JsonRefusalFilter, RouteNotFound } from 'rookery/common';

/** Everything else under our prefixes. It comes last in the module. */
@Controller({
  path: ['publish_api/v1', 'customer_api/v1', 'user_api/v1', 'reporting_api/v2'],
  version: VERSION_NEUTRAL,
})
@UseFilters(JsonRefusalFilter)
export class UnknownRoutesController {
  @All('*path')
  unknown(): never {
    throw new RouteNotFound();
  }
}
