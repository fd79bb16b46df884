import { IsExactText, IsWebAddress, Optional } from '#common';

/**
 * Another service with the Channels API that receives everything that your servers trigger here, so that clients can
 * migrate gradually. Omitted settings default to the app's own: with equal credentials, one authorization works on
 * both.
 */
export class Mirror {
  /** The URL of the service's HTTP API: `https://api-eu.pusher.com`. */
  @IsWebAddress()
  readonly url!: string;
  /** The id of the app at the service. @default the app's own */
  @Optional()
  @IsExactText()
  readonly id?: string;
  /** The key of the app at the service. @default the app's own */
  @Optional()
  @IsExactText()
  readonly key?: string;
  /** The secret of the app at the service. @default the app's own */
  @Optional()
  @IsExactText()
  readonly secret?: string;
}
