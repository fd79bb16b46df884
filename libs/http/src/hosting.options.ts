import { IsBoolean } from 'class-validator';

/** How a module's routes fit into the application that hosts them. */
export class HostingSettings {
  /**
   * Whether the module serves HTTP on the application's server. Set it to false for a worker-only process, such as one
   * that sends publishes: its services work without it. @default true
   */
  @IsBoolean()
  readonly serveRoutes: boolean = true;
  /** Whether the application's global prefix applies to the paths. The SDKs' paths are fixed. @default false */
  @IsBoolean()
  readonly useGlobalPrefix: boolean = false;
  /**
   * Set it if the application's global guards refuse requests of these routes on purpose: it turns off the warning
   * about that. See `isRookeryRoute`. @default false
   */
  @IsBoolean()
  readonly allowGlobalGuards: boolean = false;
  /**
   * Whether the application's global interceptors run around these routes. The SDKs cannot read an answer that an
   * interceptor wraps, and a cache may answer one client with the answer to another. @default false
   */
  @IsBoolean()
  readonly globalInterceptors: boolean = false;
}

/** The form in which a host writes them. */
export type HostingOptions = Partial<HostingSettings>;
