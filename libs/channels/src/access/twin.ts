import { IsText, IsWebAddress, Optional } from 'rookery/common';

/**
 * Another service with the Channels API that is told of everything that servers trigger here, so that clients can move
 * from there bit by bit. What is left out is as it is here: with the same credentials, one authorization serves both.
 */
export class Twin {
  /** Where its HTTP API is, such as `https://api-eu.pusher.com`. */
  @IsWebAddress()
  readonly url!: string;
  /** The app's id there. @default the app's own */
  @Optional()
  @IsText()
  readonly id?: string;
  /** The app's key there. @default the app's own */
  @Optional()
  @IsText()
  readonly key?: string;
  /** And its secret. @default the app's own */
  @Optional()
  @IsText()
  readonly secret?: string;
}
