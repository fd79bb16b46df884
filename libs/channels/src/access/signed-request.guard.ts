import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { messageOf, type PlatformRequest, rawBodyOf, StatusError, isLocalRequest } from '#http';
import { localOnly } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { type Authenticated, SignedRequests } from './signed-request.js';

const authenticated = Symbol('rookery.authenticated');
const textBody = 'rookery:text-body';

/** Marks a controller's method whose requests have plain text as their body, and parameters only in the query. */
export const TextBody = (): MethodDecorator => SetMetadata(textBody, true);

type WithAuthentication = PlatformRequest & {
  readonly params?: Readonly<Record<string, string>>;
  [authenticated]?: Authenticated;
};

/**
 * Accepts requests that are signed with an app's secret (api § Authentication). The method gets the app as
 * `@CurrentApp()`, and the parameters of the query and the JSON body as `@Parameters()`. On a host's own routes, an
 * `:appId` in the path must be the app's id. The body is part of the signature, so the host must keep its bytes: `{
 * rawBody: true }`.
 */
@Injectable()
export class SignedRequestGuard implements CanActivate {
  constructor(
    private readonly requests: SignedRequests,
    private readonly settings: ChannelsSettings,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<WithAuthentication>();
    const { method = '', url = '' } = messageOf(request);
    const sent = 'originalUrl' in request && typeof request.originalUrl === 'string' ? request.originalUrl : url;
    const kind = Reflect.hasMetadata(textBody, context.getHandler()) ? 'text' : 'json';
    try {
      const found = this.requests.check(method, sent, rawBodyOf(request), request.params?.['appId'], kind);
      if (found instanceof Promise) return this.later(context, request, found);
      return this.admit(request, found);
    } catch (error) {
      throw StatusError.in(context, error);
    }
  }

  private async later(context: ExecutionContext, request: WithAuthentication, found: Promise<Authenticated>) {
    try {
      return this.admit(request, await found);
    } catch (error) {
      throw StatusError.in(context, error);
    }
  }

  private admit(request: WithAuthentication, found: Authenticated): true {
    const { id } = found.app;
    if (this.settings.localOnly.includes(id) && !isLocalRequest(messageOf(request).headers)) throw localOnly(id);
    request[authenticated] = found;
    return true;
  }
}

const authentication = (context: ExecutionContext): Authenticated => {
  const found = context.switchToHttp().getRequest<WithAuthentication>()[authenticated];
  if (!found) throw new Error('@CurrentApp() and @Parameters() need @UseGuards(SignedRequestGuard)');
  return found;
};

/** The app that signed the request. */
export const CurrentApp = createParamDecorator((_: unknown, context: ExecutionContext) => authentication(context).app);

/** The request's parameters, of the query and of the body. */
export const Parameters = createParamDecorator(
  (_: unknown, context: ExecutionContext) => authentication(context).parameters,
);
