import { IsBoolean } from 'class-validator';

/** How a module's routes stand in the application that hosts them. */
export class HostingSettings {
  /**
   * Whether the module answers on the application's HTTP server. False makes a process that only works, such as one that
   * sends publishes: its services are there all the same. @default true
   */
  @IsBoolean()
  readonly serveRoutes: boolean = true;
  /** Whether the application's global prefix stands before the paths. The SDKs' paths are fixed. @default false */
  @IsBoolean()
  readonly useGlobalPrefix: boolean = false;
  /**
   * Says that the application's global guards let these routes pass, or are meant to stand before them: the boot does
   * not warn of them. See `isRookeryRoute`. @default false
   */
  @IsBoolean()
  readonly allowGlobalGuards: boolean = false;
}

/** What a host may write of them. */
export type HostingOptions = Partial<HostingSettings>;
