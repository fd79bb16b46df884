import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { IsRequired, IsText, Nested, Optional } from 'rookery/common';

/**
 * An event to trigger, in the words of the API (api § Event). The requests of the HTTP API are checked by `checkTrigger`:
 * these rules would halve their number a second. They are for a host's own routes.
 */
export class TriggerEvent {
  /** At most 200 characters, none of Pusher's own: `pusher:` and `pusher_internal:` are reserved. */
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
  /** In place of `channels`. */
  @Optional()
  @IsText()
  readonly channel?: string;
  /** The connection that does not get the event. */
  @Optional()
  @IsText()
  readonly socket_id?: string;
  /** Comma-separated: `user_count`, `subscription_count`. */
  @Optional()
  @IsText()
  readonly info?: string;
}

/** Several events to trigger, each on one `channel` (api § POST /apps/<app_id>/batch_events). */
export class TriggerBatch {
  /** At most 10. */
  @Nested(() => TriggerEvent, { each: true })
  readonly batch!: readonly TriggerEvent[];
}
