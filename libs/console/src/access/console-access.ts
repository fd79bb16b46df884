import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import type { Awaitable, SignIns } from 'rookery/common';
import { firstValueFrom, isObservable } from 'rxjs';
import { forbidden, notSignedIn, wrongPassword } from '../console.errors.js';
import { ConsoleKey, isCsrfTokenOf, randomValue } from './console-key.js';
import { type ConsoleRequest, cookieOf, isReading, requestOf } from './console-request.js';
import { checkLoopback } from './loopback.js';
import { SignInRate } from './sign-in-rate.js';

/** How long a session lasts. */
export const sessionSeconds = 12 * 60 * 60;

/** The guards of the host that say who may look; none where a password does. */
export class HostGuards {
  constructor(readonly all: readonly CanActivate[]) {}
}

/** Who may use the console: who knows the password, whom the host's guards let pass, or who is on this machine. */
@Injectable()
export class ConsoleAccess {
  constructor(
    /** Absent where there is no password. */
    private readonly key: ConsoleKey | undefined,
    private readonly guards: HostGuards,
    private readonly rate: SignInRate,
    private readonly signIns: SignIns,
  ) {}

  get needsPassword(): boolean {
    return this.key !== undefined;
  }

  /** Whether it is for this machine, without a password. */
  get isDevelopment(): boolean {
    return !this.key && this.guards.all.length === 0;
  }

  /** What stands before the pages too, which hold no secret but are nobody's business. @throws HttpException 403 */
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

  /** @throws HttpException 401, 403 or 429 for somebody who may not look; answers what a request is known by */
  async checkIdentity(context: ExecutionContext): Promise<'bearer' | 'cookie'> {
    await this.checkVisitor(context);
    const request = requestOf(context);
    const bearer = bearerOf(request);
    if (this.key && bearer !== undefined) {
      await this.checkPassword(this.key, bearer, request);
      return 'bearer';
    }
    if (this.key && !(await this.isOpen(this.key.sessionOf(cookieOf(request))))) throw notSignedIn();
    return 'cookie';
  }

  /** @throws HttpException 401, 403 or 429; answers the cookie of the new session */
  async signIn(password: string, context: ExecutionContext): Promise<string> {
    if (!this.key) throw forbidden('There is no password to sign in with.');
    await this.checkPassword(this.key, password, requestOf(context));
    const cookie = randomValue();
    await this.signIns.begin(this.key.sessionOf(cookie)!, sessionSeconds); // It is one of ours.
    return cookie;
  }

  /** Ends the session of a request, wherever its cookie is by now. */
  async signOut(context: ExecutionContext): Promise<void> {
    const session = this.key?.sessionOf(cookieOf(requestOf(context)));
    if (session !== undefined) await this.signIns.end(session);
  }

  /** Whether a request that was let in would be let in again: its session has not ended. */
  isStillIn(context: ExecutionContext): Awaitable<boolean> {
    const request = requestOf(context);
    if (!this.key || bearerOf(request) !== undefined) return true;
    return this.isOpen(this.key.sessionOf(cookieOf(request)));
  }

  private isOpen(session: string | undefined): Awaitable<boolean> {
    return session !== undefined && this.signIns.isOpen(session);
  }

  private async checkPassword(key: ConsoleKey, given: string, { ip = '' }: ConsoleRequest): Promise<void> {
    if (!(await this.rate.isRight(ip, given, () => key.opens(given)))) throw wrongPassword();
  }
}

const bearerOf = ({ headers }: ConsoleRequest): string | undefined =>
  /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];

/** A page of another site may have a browser send the cookie, but cannot know the token that goes with it. */
function checkToken(request: ConsoleRequest): void {
  const cookie = cookieOf(request);
  const given = request.headers['x-csrf-token'];
  if (cookie === undefined || typeof given !== 'string' || !isCsrfTokenOf(cookie, given))
    throw forbidden('X-CSRF-Token must be the csrfToken of GET /console/api/session.');
}

const answerOf = (answer: ReturnType<CanActivate['canActivate']>): boolean | Promise<boolean> =>
  isObservable(answer) ? firstValueFrom(answer) : answer;
