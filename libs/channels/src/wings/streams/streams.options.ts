import { IsAmount, IsCount } from '#common';

/** How streams are sent (`StreamsService.begin`). */
export class StreamSettings {
  /** How long pieces of a stream are joined into one event, in milliseconds. The first is sent at once. @default 50 */
  @IsCount(0, 10_000)
  readonly joinMs: number = 50;
  /** Silence after which a stream ends with `timeout`, in seconds. @default 60 */
  @IsAmount(0.1, 86_400)
  readonly timeoutSeconds: number = 60;
}
