/** How a module's routes stand in the application that hosts them. */
export interface HostingOptions {
  /** Whether the application's global prefix stands before the paths. The SDKs' paths are fixed. @default false */
  readonly useGlobalPrefix?: boolean;
  /**
   * Says that the application's global guards let these routes pass, or are meant to stand before them: the boot does
   * not warn of them. See `isRookeryRoute`. @default false
   */
  readonly allowGlobalGuards?: boolean;
}
