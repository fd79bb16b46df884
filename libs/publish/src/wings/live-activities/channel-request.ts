import { IsBoolean, IsNotEmpty, IsString, Matches } from 'class-validator';
import { allOf, IsRequired, MaxBytes, Optional } from '#common';
import { checkedBody } from '#http';

const IsBundleIdentifier = (): PropertyDecorator =>
  allOf(IsRequired(), IsString(), IsNotEmpty(), MaxBytes(255), Matches(/^[\w.-]+$/));

/** The app whose channel it is. */
export class AppOfChannel {
  /** The app's bundle identifier. */
  @IsBundleIdentifier()
  readonly bundleIdentifier!: string;
}

/** The body of `PUT …/interests/<name>/channel`. */
export class ChannelRequest extends AppOfChannel {
  /**
   * Whether Apple keeps the latest update for devices that are offline, for a new channel only. @default true
   */
  @Optional()
  @IsBoolean()
  readonly storesLatest?: boolean;
}

/** The app in a query. @throws ApiError 422 with the API's message */
export const checkedBundleIdentifier = (bundleIdentifier: unknown): string =>
  checkedBody(AppOfChannel, bundleIdentifier === undefined ? {} : { bundleIdentifier }).bundleIdentifier;
