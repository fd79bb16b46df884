import type { HeldChannel } from './held-channel.mjs';

/** A channel as a component sees it. */
export interface ChannelView {
  /** `subscribing` until the server answers, and again while the connection is lost. */
  readonly status: 'subscribing' | 'subscribed' | 'refused';
  /** The data of `pusher:subscription_error`, such as `{ type: 'AuthError', error: '…', status: 403 }`, if refused. */
  readonly error: unknown;
  /** Sends a client event. @returns whether it was sent */
  readonly trigger: (event: string, data: unknown) => boolean;
}

const initial: ChannelView = { status: 'subscribing', error: undefined, trigger: () => false };

export const viewOf = (held: HeldChannel | undefined): ChannelView => held?.view ?? initial;
