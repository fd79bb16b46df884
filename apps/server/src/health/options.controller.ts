import { Controller, Header, HttpCode, Options, ServiceUnavailableException } from '@nestjs/common';
import { Readiness } from './readiness.js';

/** HAProxy's `option httpchk` asks `OPTIONS /` by default, to know whether to send requests here. */
@Controller()
export class OptionsController {
  constructor(private readonly readiness: Readiness) {}

  /** 503 as long as `GET /health/ready` answers that. */
  @Options()
  @HttpCode(204)
  @Header('allow', 'GET, HEAD, OPTIONS')
  async options(): Promise<void> {
    const status = await this.readiness.status();
    if (status !== 'ok') throw new ServiceUnavailableException({ status });
  }
}
