import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean } from 'class-validator';
import { IsRequired, IsText, Nested, Optional } from '#common';

/**
 * An event to trigger, with the API's field names (api § Event). It is for a host's own routes: the HTTP API uses the
 * faster `checkTrigger` instead, because these rules would halve its rate.
 */
export class TriggerEvent {
  /** At most 200 characters. The prefixes `pusher:` and `pusher_internal:` are reserved. */
  @IsText()
  readonly name!: string;
  /** Usually JSON encoded as a string; anything else is encoded once. At most 10 KB. */
  @IsRequired()
  readonly data: unknown;
  /** 1 to 100 names. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsText({ each: true })
  readonly channels?: readonly string[];
  /** A single name, in place of `channels`. */
  @Optional()
  @IsText()
  readonly channel?: string;
  /** The socket id of the connection that is excluded. */
  @Optional()
  @IsText()
  readonly socket_id?: string;
  /** Comma-separated: `user_count`, `subscription_count`, `receipts`. */
  @Optional()
  @IsText()
  readonly info?: string;
  /** Whether to note which users receive the event, as with `info` of `receipts`. @default false */
  @Optional()
  @IsBoolean()
  readonly receipts?: boolean;
}

/** Several events to trigger, each on one `channel` (api § POST /apps/<app_id>/batch_events). */
export class TriggerBatch {
  /** At most 10. */
  @Nested(() => TriggerEvent, { each: true })
  readonly batch!: readonly TriggerEvent[];
}
