import type { Wing } from '../wing.js';
import { ChannelStates } from './channel-states.js';
import { StateMethods } from './state-methods.js';
import { StatePart } from './state.part.js';

/** Subscribers first get the state of their channel, which a method of the host reads (docs/state.md). */
export const state = {
  providers: [StateMethods, ChannelStates],
  part: StatePart,
} satisfies Wing;
