import { Injectable } from '@nestjs/common';
import type { App } from '../../app/app.js';
import type { TriggeredEvent, TriggerStep } from '../../events/trigger-step.js';
import { MirrorService } from './mirror.service.js';

/**
 * Forwards to the app's mirror what servers do. Events go before they are published, so that a server that gets an error
 * may repeat the request.
 */
@Injectable()
export class MirrorStep implements TriggerStep {
  constructor(private readonly mirrors: MirrorService) {}

  before(app: App, events: readonly TriggeredEvent[]): Promise<void> | undefined {
    return app.mirror ? this.mirrors.forward(app, events) : undefined;
  }

  terminated(app: App, userId: string): Promise<void> | undefined {
    return app.mirror ? this.mirrors.terminate(app, userId) : undefined;
  }
}
