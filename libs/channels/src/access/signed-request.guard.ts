import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { messageOf, type PlatformRequest, rawBodyOf } from 'rookery/common';
import { type Authenticated, SignedRequests } from './signed-request.js';

const authenticated = Symbol('rookery.authenticated');

type WithAuthentication = PlatformRequest & { [authenticated]?: Authenticated };

/** Lets signed requests through and remembers whose they are (api § Authentication). */
@Injectable()
export class SignedRequestGuard implements CanActivate {
  constructor(private readonly requests: SignedRequests) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<WithAuthentication>();
    const { method = '', url = '' } = messageOf(request);
    const sent = 'originalUrl' in request && typeof request.originalUrl === 'string' ? request.originalUrl : url;
    const found = this.requests.check(method, sent, rawBodyOf(request));
    if (found instanceof Promise) return found.then((each) => remember(request, each));
    return remember(request, found);
  }
}

function remember(request: WithAuthentication, found: Authenticated): true {
  request[authenticated] = found;
  return true;
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
