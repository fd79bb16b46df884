import { Delete, type ExecutionContext, Get, HttpCode, HttpException, Post, UseGuards } from '@nestjs/common';
import { type JsonObject, version } from 'rookery/internal/common';
import { JsonBody, RookeryController } from 'rookery/internal/http';
import type { ConsoleSession } from '../contract/index.js';
import { badRequest } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { ConsoleAccess, sessionSeconds } from './console-access.js';
import { csrfTokenOf, randomValue } from './console-key.js';
import { Context, cookieOf, requestOf, setCookie } from './console-request.js';
import { ConsoleHeaders, SessionGuard } from './console.guard.js';

/** `GET`, `POST` and `DELETE /console/api/session` */
@RookeryController('console/api/session')
@UseGuards(SessionGuard)
export class SessionController {
  constructor(
    private readonly access: ConsoleAccess,
    private readonly settings: ConsoleSettings,
    private readonly headers: ConsoleHeaders,
  ) {}

  @Get()
  async state(@Context() context: ExecutionContext): Promise<ConsoleSession> {
    const signedIn = await this.isSignedIn(context);
    return {
      signedIn,
      needsPassword: this.access.needsPassword,
      development: this.access.isDevelopment,
      csrfToken: signedIn ? csrfTokenOf(this.cookieFor(context)) : null,
      hidesPayloads: this.settings.hidePayloads,
      version,
    };
  }

  @Post()
  @HttpCode(204)
  async signIn(@JsonBody() { password }: JsonObject, @Context() context: ExecutionContext): Promise<void> {
    if (typeof password !== 'string') throw badRequest('password must be a text.');
    this.keep(context, await this.access.signIn(password, context), sessionSeconds);
  }

  @Delete()
  @HttpCode(204)
  async signOut(@Context() context: ExecutionContext): Promise<void> {
    await this.access.signOut(context);
    this.keep(context, '', 0);
  }

  private async isSignedIn(context: ExecutionContext): Promise<boolean> {
    try {
      await this.access.checkIdentity(context);
      return true;
    } catch (error) {
      if (error instanceof HttpException && error.getStatus() < 500) return false;
      throw error;
    }
  }

  /** Without a password there is no session, but still a token, bound to a cookie. */
  private cookieFor(context: ExecutionContext): string {
    const known = cookieOf(requestOf(context));
    if (known !== undefined && known !== '') return known;
    const made = randomValue();
    this.keep(context, made, sessionSeconds);
    return made;
  }

  private keep(context: ExecutionContext, value: string, seconds: number): void {
    this.headers.set(context, { 'set-cookie': setCookie(requestOf(context), value, seconds) });
  }
}
