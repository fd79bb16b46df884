// The server with a state for each channel `state.{id}`, which takes as long as a slow query.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule } from '@nestjs/common';
import { ChannelState } from 'rookery/channels';
import { AppModule } from '../../apps/server/src/app.module.js';
import { serve } from '../../apps/server/src/serve.js';
import { TimedReads } from '../../libs/channels/src/wings/state/timed-reads.js';

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
  const { run } = TimedReads.prototype;
  TimedReads.prototype.run = function <T>(this: TimedReads, appId: string, _: string, read: () => Promise<T>) {
    return run.call(this, appId, 'all', read) as Promise<T>;
  };
}

void serve(process.env);
