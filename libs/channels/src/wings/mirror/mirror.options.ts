import { IsExactText, IsWebAddress, Optional } from '#common';

/**
 * Another service with the Channels API that receives everything that your servers trigger here, so that clients can
 * migrate gradually. Omitted settings default to the app's own: with equal credentials, one authorization works on
 * both.
 */
export class Mirror {
  /** Its HTTP API: `https://api-eu.pusher.com`. */
  @IsWebAddress()
  readonly url!: string;
  /** Its id there. @default the app's own */
  @Optional()
  @IsExactText()
  readonly id?: string;
  /** Its key there. @default the app's own */
  @Optional()
  @IsExactText()
  readonly key?: string;
  /** Its secret there. @default the app's own */
  @Optional()
  @IsExactText()
  readonly secret?: string;
}
