import type { PushTarget } from './matchers.js';

/** The matchers as tests see them; `rookeryMatchers` describes them. */
export interface RookeryMatchers {
  /** On a client: it received the event on the channel. On the server: the event was sent there. Waits for it. */
  toHaveReceivedEvent(channel: string, event: string, data?: unknown): Promise<void>;
  /** On the server: a notification was delivered to a device of the target. Waits for it. */
  toHaveBeenPushedTo(target: PushTarget, payload?: unknown): Promise<void>;
}
