import { Injectable } from '@nestjs/common';
import type { App } from '../app/app.js';
import type { TriggeredEvent, TriggerStep } from '../events/trigger-step.js';
import { MirrorService } from '../mirror/mirror.service.js';

/** Forwards events to the app's mirror. Before publishing, so that a server that gets an error may repeat the request. */
@Injectable()
export class MirrorStep implements TriggerStep {
  constructor(private readonly mirrors: MirrorService) {}

  before(app: App, events: readonly TriggeredEvent[]): Promise<void> | undefined {
    return app.mirror ? this.mirrors.forward(app, events) : undefined;
  }
}
