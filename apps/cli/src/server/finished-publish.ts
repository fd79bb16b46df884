import { setTimeout as sleep } from 'node:timers/promises';
import type { BeamsOptions } from '@rookery/client/server';
import { Fault, lineOf } from '../fault.js';
import { tell } from '../output.js';
import { progressOf, publishState, type PublishState } from './publish-state.js';

/**
 * Waits for the end of a publish, and prints its progress to stderr when it changes. It repeats a request that fails:
 * the publish survives a restart of the server.
 * @throws Fault when the time is over
 */
export async function finishedPublish(
  instance: BeamsOptions,
  publishId: string,
  timeoutSeconds: number,
): Promise<PublishState> {
  const end = performance.now() + timeoutSeconds * 1000;
  let told = '';
  for (let pauseMs = 125; performance.now() < end; pauseMs = Math.min(1000, pauseMs * 2)) {
    const state = await publishState(instance, publishId).catch(lineOf);
    if (typeof state !== 'string' && (state.state === 'finished' || state.state === 'cancelled')) return state;
    const progress = typeof state === 'string' ? state : progressOf(state);
    if (progress !== told) tell((told = progress));
    await sleep(Math.min(pauseMs, Math.max(0, end - performance.now())));
  }
  throw new Fault(
    `${publishId} is not finished after ${timeoutSeconds} s, and goes on without this command. Ask for it with: rookery publishes show ${publishId}`,
  );
}
