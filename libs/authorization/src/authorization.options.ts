import { IsBoolean } from 'class-validator';
import { type Given, IsCount, IsExactText, Nested, Optional, rule } from '#common';

const isPath = (path: unknown): boolean => typeof path === 'string' && /^(\/[^/:*{}?#\s]+)+$/.test(path);

const IsPath = (): PropertyDecorator =>
  rule('isPath', 'must be a path such as /pusher/auth, without parameters', isPath, { context: { shown: 'string' } });

/** The paths that clients call. */
export class AuthorizationPaths {
  /** Authorizes one channel or several (pusher-js: `channelAuthorization.endpoint`). @default '/pusher/auth' */
  @IsPath()
  readonly channels: string = '/pusher/auth';
  /** Signs a user in (pusher-js: `userAuthentication.endpoint`). @default '/pusher/user-auth' */
  @IsPath()
  readonly users: string = '/pusher/user-auth';
  /** Issues the token for a user's devices (Beams: `TokenProvider`). @default '/pusher/beams-auth' */
  @IsPath()
  readonly beams: string = '/pusher/beams-auth';
}

/** The settings of AuthorizationModule. */
export class AuthorizationSettings {
  @Nested(() => AuthorizationPaths)
  readonly paths: AuthorizationPaths = new AuthorizationPaths();
  /**
   * Whether the application's global prefix applies to these paths. Nest runs the middleware of the application's modules
   * only below the prefix, and on paths that `setGlobalPrefix` excludes. @default true
   */
  @IsBoolean()
  readonly useGlobalPrefix: boolean = true;
  /**
   * Whether the application's global interceptors run around the methods. The answer of one that wraps or caches is not
   * the method's: see `isAuthorizer`. @default false
   */
  @IsBoolean()
  readonly globalInterceptors: boolean = false;
  /** The app of requests and methods that name none. @default that of ChannelsModule */
  @Optional()
  @IsExactText()
  readonly appId?: string;
  /** The Beams instance whose tokens are issued. @default that of PushDeviceModule */
  @Optional()
  @IsExactText()
  readonly instanceId?: string;
  /**
   * Whether the methods also run on the socket itself, when a client subscribes or signs in without a token. They get
   * the request that opened the socket, so connections keep its headers. @default false
   */
  @IsBoolean()
  readonly authorizeOnSubscribe: boolean = false;
  /**
   * Concurrent authorizations of one app in this process; all apps together get a ninth more. Beyond that, requests get
   * 503 with Retry-After, and sockets wait. @default 1000
   */
  @IsCount(1)
  readonly concurrency: number = 1000;
  /**
   * How long a method may take, with its guards, in milliseconds; then the request gets 503, and its slot goes to another.
   * @default 10000
   */
  @IsCount(1, 60_000)
  readonly timeoutMs: number = 10_000;
  /** The most channels in one request. @default 1000 */
  @IsCount(1)
  readonly channelsPerRequest: number = 1000;
  /** The largest request body, in bytes. @default 262144 */
  @IsCount(1)
  readonly requestBytes: number = 262_144;
}

/** What `AuthorizationModule.forRoot` takes. */
export type AuthorizationOptions = Given<AuthorizationSettings>;
