import type { PushTarget } from './matchers.js';

/** The matchers as tests see them; what they do is said in `rookeryMatchers`. */
export interface RookeryMatchers {
  /** Of a client: it got the event on the channel. Of the server: it was sent there. Waits for it. */
  toHaveReceivedEvent(channel: string, event: string, data?: unknown): Promise<void>;
  /** Of the server: a notification was delivered to a device of the target. Waits for it. */
  toHaveBeenPushedTo(target: PushTarget, payload?: unknown): Promise<void>;
}
