import { IsBoolean } from 'class-validator';
import { type Given, IsCount, IsText, Nested, Optional, rule } from 'rookery/common';

const isPath = (path: unknown): boolean => typeof path === 'string' && /^(\/[^/:*{}?#\s]+)+$/.test(path);

const IsPath = (): PropertyDecorator =>
  rule('isPath', 'must be a path such as /pusher/auth, without parameters', isPath, { context: { shown: 'string' } });

/** Where clients ask. */
export class AuthorizationPaths {
  /** For a channel or many (pusher-js: `channelAuthorization.endpoint`). @default '/pusher/auth' */
  @IsPath()
  readonly channels: string = '/pusher/auth';
  /** To sign in (pusher-js: `userAuthentication.endpoint`). @default '/pusher/user-auth' */
  @IsPath()
  readonly users: string = '/pusher/user-auth';
  /** For the token of a user's devices (Beams: `TokenProvider`). @default '/pusher/beams-auth' */
  @IsPath()
  readonly beams: string = '/pusher/beams-auth';
}

/** The settings of AuthorizationModule. */
export class AuthorizationSettings {
  @Nested(() => AuthorizationPaths)
  readonly paths: AuthorizationPaths = new AuthorizationPaths();
  /** Whether the application's global prefix stands before the paths. @default false */
  @IsBoolean()
  readonly useGlobalPrefix: boolean = false;
  /** The app of requests and methods that name none. @default the only app there is */
  @Optional()
  @IsText()
  readonly appId?: string;
  /** The Beams instance whose tokens are issued. @default the only instance there is */
  @Optional()
  @IsText()
  readonly instanceId?: string;
  /**
   * Whether the methods are asked on the socket itself when a client subscribes or signs in without a token: by the
   * request that opened the socket, of which connections keep the headers then. @default false
   */
  @IsBoolean()
  readonly authorizeOnSubscribe: boolean = false;
  /** Authorizations that may be under way at once in this process; beyond it, 503 with Retry-After. @default 1000 */
  @IsCount(1)
  readonly concurrency: number = 1000;
  /** Channels that one request may ask for. @default 1000 */
  @IsCount(1)
  readonly channelsPerRequest: number = 1000;
  /** Bytes of a request's body. @default 262144 */
  @IsCount(1)
  readonly requestBytes: number = 262_144;
}

/** What `AuthorizationModule.forRoot` takes. */
export type AuthorizationOptions = Given<AuthorizationSettings>;

/** Injection token of the module's options. */
export const authorizationOptions = Symbol('AuthorizationOptions');
