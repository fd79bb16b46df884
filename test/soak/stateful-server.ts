// The server with a state for each channel `state.{id}`, which takes as long as a slow query.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule } from '@nestjs/common';
import { ChannelState } from 'rookery/channels';
import { AppModule } from '../../apps/server/src/app.module.js';
import { serve } from '../../apps/server/src/serve.js';
import { FairLimiter } from '../../libs/channels/src/wings/state/fair-limiter.js';

const queryMs = 50;

class SlowStates {
  @ChannelState('state.{id}')
  async read(): Promise<object> {
    await sleep(queryMs);
    return { rows: [] };
  }
}

const { forRoot } = AppModule;
AppModule.forRoot = (...args): DynamicModule => {
  const module = forRoot.apply(AppModule, args);
  return { ...module, providers: [...(module.providers ?? []), SlowStates] };
};

/** The planted fault: networks take no turns. */
if (process.env['ONE_QUEUE']) {
  const { run } = FairLimiter.prototype;
  FairLimiter.prototype.run = function <T>(this: FairLimiter, _: string, work: () => Promise<T>): Promise<T> {
    return run.call(this, 'all', work) as Promise<T>;
  };
}

void serve(process.env);
