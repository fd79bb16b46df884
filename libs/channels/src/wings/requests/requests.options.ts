import { IsCount } from '#common';

/** How the requests of clients are answered (`@OnRequest`). */
export class RequestSettings {
  /**
   * Requests of a connection in a second, twice as many at once; a user may send five times as many, an address
   * `budgetsPerAddress` times. Further ones are answered with 429, and count as refused messages. @default 20
   */
  @IsCount(1)
  readonly perSecond: number = 20;
  /**
   * Requests of a connection that may be under way, with the same multiples; further ones get 429. One whose method is
   * late counts until the method ends. @default 16
   */
  @IsCount(1)
  readonly underWay: number = 16;
  /**
   * Requests of an app in this process that may be under way, and half of those of all apps together; beyond it, those
   * who have most are answered with 429. @default 10000
   */
  @IsCount(1)
  readonly concurrency: number = 10_000;
  /** How long a reply may take, in milliseconds; then the client gets 504. @default 10000 */
  @IsCount(1, 50_000)
  readonly timeoutMs: number = 10_000;
  /** The largest reply, in bytes of its JSON; a larger one is a 500. @default 1048576, 1 MB */
  @IsCount(1, 16_777_216)
  readonly replyBytes: number = 1_048_576;
}
