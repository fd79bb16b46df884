import { IsCount } from '#common';

/** How the states of channels are read (`@ChannelState`). */
export class StateSettings {
  /**
   * How long a read of a state may serve further subscribers, from its beginning, in milliseconds. An event of the channel
   * ends this. @default 1000
   */
  @IsCount(0, 60_000)
  readonly shareMs: number = 1000;
  /** How long a read may take, with the wait for its turn, in milliseconds; then subscriptions are refused. @default 10000 */
  @IsCount(1, 60_000)
  readonly timeoutMs: number = 10_000;
  /**
   * Concurrent reads of states for one app in this process; further ones wait. All apps together get a ninth more. A
   * channel's state is read once at a time. @default 8
   */
  @IsCount(1)
  readonly concurrency: number = 8;
  /** The largest state, in bytes of its JSON. @default 1048576, 1 MB */
  @IsCount(1, 16_777_216)
  readonly bytes: number = 1_048_576;
}
