import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { type Awaitable, type ConsoleStore } from 'rookery/internal/common';
import { clientAddress, type PlatformRequest } from 'rookery/internal/http';
import { firstValueFrom, isObservable } from 'rxjs';
import { forbidden, notSignedIn, wrongPassword } from '../console.errors.js';
import { ConsoleKey, isCsrfTokenOf, randomValue } from './console-key.js';
import { type ConsoleRequest, cookieOf, isReading, peerOf, requestOf } from './console-request.js';
import { SignInRate } from './sign-in-rate.js';

const loopbackAddress = /^(127\.|::1$|::ffff:127\.)/;
const loopbackName = /^(localhost|[\w-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Headers that proxies add; the client behind a proxy may be anywhere. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * With DNS rebinding, a foreign name points to this machine, but the browser still sends that name in `Host`.
 * @throws ConsoleError 403 unless the request was made on this machine, to this machine
 */
function checkLoopback(request: ConsoleRequest & PlatformRequest): void {
  const isHere =
    loopbackAddress.test(peerOf(request)) &&
    loopbackName.test(request.headers.host ?? '') &&
    forwarding.every((name) => request.headers[name] === undefined);
  if (!isHere)
    throw forbidden(
      'Without a password the console is for this machine alone: open it by http://localhost, or set CONSOLE_PASSWORD.',
    );
}

/** How long a session lasts. */
export const sessionSeconds = 12 * 60 * 60;

/** The host's guards that control access; none if a password does. */
export class HostGuards {
  constructor(readonly all: readonly CanActivate[]) {}
}

/** Controls access to the console: by password, by the host's guards, or only for this machine. */
@Injectable()
export class ConsoleAccess {
  constructor(
    /** Absent without a password. */
    private readonly key: ConsoleKey | undefined,
    private readonly guards: HostGuards,
    private readonly rate: SignInRate,
    private readonly store: ConsoleStore,
  ) {}

  get needsPassword(): boolean {
    return this.key !== undefined;
  }

  /** Whether access is limited to this machine, without a password. */
  get isDevelopment(): boolean {
    return !this.key && this.guards.all.length === 0;
  }

  /** Also guards the pages, which contain no secrets but are not public. @throws HttpException 403 */
  async checkVisitor(context: ExecutionContext): Promise<void> {
    if (this.isDevelopment) checkLoopback(requestOf(context));
    for (const guard of this.guards.all)
      if (!(await answerOf(guard.canActivate(context)))) throw new ForbiddenException('Forbidden resource');
  }

  /** @throws HttpException 401, 403 or 429 for a request that may not use the API */
  async check(context: ExecutionContext): Promise<void> {
    const isByCookie = (await this.checkIdentity(context)) === 'cookie';
    const request = requestOf(context);
    if (isByCookie && !isReading(request)) checkToken(request);
  }

  /** @throws HttpException 401, 403 or 429 if access is denied; returns the request's session */
  async checkIdentity(context: ExecutionContext): Promise<'bearer' | 'cookie'> {
    await this.checkVisitor(context);
    const request = requestOf(context);
    const bearer = bearerOf(request);
    if (this.key && bearer !== undefined) {
      await this.checkPassword(this.key, bearer, request);
      return 'bearer';
    }
    if (this.key && !(await this.isOpen(this.key, request))) throw notSignedIn();
    return 'cookie';
  }

  /** @throws HttpException 401, 403 or 429; returns the cookie of the new session */
  async signIn(password: string, context: ExecutionContext): Promise<string> {
    if (!this.key) throw forbidden('There is no password to sign in with.');
    await this.checkPassword(this.key, password, requestOf(context));
    const cookie = randomValue();
    const session = (await this.key.sessionOf(cookie))!; // The cookie was made above, so it is valid.
    await this.store.beginSession(session, sessionSeconds);
    return cookie;
  }

  /** Ends a request's session, from any process. */
  async signOut(context: ExecutionContext): Promise<void> {
    const session = await this.key?.sessionOf(cookieOf(requestOf(context)));
    if (session !== undefined) await this.store.endSession(session);
  }

  /** Whether an admitted request would still be admitted: its session has not ended. */
  isStillIn(context: ExecutionContext): Awaitable<boolean> {
    const request = requestOf(context);
    if (!this.key || bearerOf(request) !== undefined) return true;
    return this.isOpen(this.key, request);
  }

  private async isOpen(key: ConsoleKey, request: ConsoleRequest): Promise<boolean> {
    const session = await key.sessionOf(cookieOf(request));
    return session !== undefined && this.store.hasSession(session);
  }

  private async checkPassword(
    key: ConsoleKey,
    given: string,
    request: ConsoleRequest & PlatformRequest,
  ): Promise<void> {
    if (!(await this.rate.isRight(clientAddress(request), given, () => key.opens(given)))) throw wrongPassword();
  }
}

const bearerOf = ({ headers }: ConsoleRequest): string | undefined =>
  /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];

/** Another site's page can make a browser send the cookie, but cannot know the matching token. */
function checkToken(request: ConsoleRequest): void {
  const cookie = cookieOf(request);
  const given = request.headers['x-csrf-token'];
  if (cookie === undefined || typeof given !== 'string' || !isCsrfTokenOf(cookie, given))
    throw forbidden('X-CSRF-Token must be the csrfToken of GET /console/api/session.');
}

const answerOf = (answer: ReturnType<CanActivate['canActivate']>): boolean | Promise<boolean> =>
  isObservable(answer) ? firstValueFrom(answer) : answer;
