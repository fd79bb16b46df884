import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Readiness } from './readiness.js';

/** For whoever watches the server: is it alive, and should it get new work? */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 503 from the moment shutdown begins. */
  @Get('ready')
  ready(): { status: 'ok' } {
    if (!this.readiness.isReady) throw new ServiceUnavailableException({ status: 'shutting down' });
    return { status: 'ok' };
  }
}
