import type { ExceptionFilter } from '@nestjs/common';
import type { Reply, RouteHandler } from '../compiled-route.js';
import { textRefusal } from '../text-refusal.filter.js';
import type { DirectSocket } from './direct-socket.js';
import type { RequestHead } from './request-head.js';

/** A path as Nest registers ours: the host's prefix, the app, and the last word. */
const registered = /^((?:\/[\w.~-]+)*\/apps\/):appId\/(events|batch_events)$/;

interface DirectRoute {
  readonly paths: RegExp;
  readonly handler: RouteHandler;
}

/** The routes that are answered past the router of the host's platform. */
export class DirectRoutes {
  private readonly routes: DirectRoute[] = [];

  constructor(private readonly bodyLimit: number) {}

  /** A path of another kind is left to the router. */
  add(path: unknown, handler: RouteHandler): void {
    const [, prefix, end] = registered.exec(String(path)) ?? [];
    if (prefix === undefined || end === undefined) return;
    // An app's id with anything else in it, or a long one, is the router's to read.
    this.routes.push({ paths: new RegExp(`^${prefix.replaceAll('.', '\\.')}[\\w-]{1,64}/${end}(?:\\?|$)`), handler });
  }

  /** The route of a request, unless its body is too large to be kept. */
  find({ url, bodySize }: RequestHead): RouteHandler | undefined {
    if (bodySize > this.bodyLimit) return undefined;
    for (const { paths, handler } of this.routes) if (paths.test(url)) return handler;
    return undefined;
  }
}

/** Answers as the platforms do. */
export const replyDirectly: Reply = (context, body, status) =>
  context.getResponse<DirectSocket>().answer(status, 'application/json; charset=utf-8', JSON.stringify(body));

/** `TextRefusalFilter` without a platform. */
export const refuseDirectly: ExceptionFilter = {
  catch(error, context) {
    const { status, contentType, body } = textRefusal(error);
    context.switchToHttp().getResponse<DirectSocket>().answer(status, contentType, body);
  },
};
