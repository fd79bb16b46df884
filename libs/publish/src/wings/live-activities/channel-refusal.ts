import { ChannelRefused } from '../../delivery/broadcast-channels.js';
import type { Outcome } from '../../delivery/push.gateway.js';

/** Apple's refusal of a channel as the outcome of what needs the channel. */
export async function resultOrRefusal<T>(
  work: () => Promise<T>,
): Promise<T | Extract<Outcome, { readonly outcome: 'rejected' }>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChannelRefused) return { outcome: 'rejected', reason: error.reason };
    throw error;
  }
}
