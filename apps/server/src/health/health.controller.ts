import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Readiness, type ReadyStatus } from './readiness.js';

/** For monitoring: is the server alive, and should it get new work? */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 503 until all workers listen, while the database takes no writes or Redis is away for long, and during shutdown. */
  @Get('ready')
  async ready(): Promise<{ status: ReadyStatus }> {
    const status = await this.readiness.status();
    if (status !== 'ok') throw new ServiceUnavailableException({ status });
    return { status };
  }
}
