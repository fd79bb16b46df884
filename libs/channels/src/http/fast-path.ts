import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { SignedRequestGuard } from '../access/signed-request.guard.js';
import { ChannelsSettings } from '../channels.options.js';
import { methodOf, routesOf } from './channels-api.js';
import { ChannelsController } from './channels.controller.js';
import { compileRoute, type Reply, type RouteHandler, type RouteMethod } from './compiled-route.js';
import { DirectRoutes, refuseDirectly, replyDirectly } from './direct/direct-routes.js';
import { DirectSockets } from './direct/direct-sockets.js';
import { EventsController } from './events.controller.js';
import { hasGlobalEnhancers, isEnhanced } from './enhancers.js';
import { TextRefusalFilter } from './text-refusal.filter.js';
import { UsersController } from './users.controller.js';

const controllers = [EventsController, ChannelsController, UsersController] as const;
const verbs = ['get', 'post'] as const;

/** What is used of Nest's adapters: each route is registered with its path and its handler. */
type Registrar = Record<(typeof verbs)[number], (...args: unknown[]) => unknown>;

/** A route without Nest's pipeline: for the platform's requests, and for those that come past it. */
interface CompiledRoute {
  readonly handler: RouteHandler;
  readonly direct: RouteHandler;
}

/**
 * Runs our routes without what they do not use of Nest's pipeline, which costs more than they do: the same guard,
 * parameters, method and filter, called one after the other by a function that is made once. The host's middleware and
 * its platform's hooks run before it as ever. Where the host has put guards, interceptors or pipes before our routes,
 * Nest's pipeline serves them, and always with `fastPath: false`.
 */
@Injectable()
export class FastPath implements OnModuleInit {
  /** Whether requests take it. */
  isOn: boolean;
  private readonly direct: DirectRoutes | undefined;
  private readonly compiled = new Map<unknown, CompiledRoute>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly modules: ModuleRef,
    settings: ChannelsSettings,
  ) {
    this.isOn = settings.fastPath;
    if (settings.bypassRouter) this.direct = new DirectRoutes(settings.limits.requestBytes);
  }

  /** Replaces our handlers as they are registered; call it before the host's routes are built. */
  install(): void {
    const { httpAdapter } = this.host;
    // A worker-only process has no HTTP server.
    if (!this.isOn || !httpAdapter || hasGlobalEnhancers(this.config)) return;
    this.compile();
    const registrar = httpAdapter as unknown as Registrar; // Its overloads are of no interest here.
    for (const verb of verbs) {
      const register = registrar[verb];
      registrar[verb] = (...args) =>
        register.apply(
          httpAdapter,
          args.map((each) => this.replaced(each, args[0])),
        );
    }
  }

  /** All routes are registered by now. */
  onModuleInit(): void {
    if (this.compiled.size === 0) return;
    for (const verb of verbs) Reflect.deleteProperty(this.host.httpAdapter, verb);
    if (this.direct) DirectSockets.install(this.host.httpAdapter.getHttpServer(), this.direct);
  }

  private compile(): void {
    for (const controller of controllers as readonly Type<object>[]) {
      const instance = this.modules.get(controller, { strict: false });
      for (const method of routesOf(controller))
        if (!isEnhanced(controller, method, SignedRequestGuard, TextRefusalFilter))
          this.compiled.set(method, this.compiledRoute(instance, method));
    }
  }

  private compiledRoute(controller: object, method: RouteMethod): CompiledRoute {
    const { httpAdapter } = this.host;
    const guard = this.modules.get(SignedRequestGuard, { strict: false });
    const reply: Reply = (context, body, status) => void httpAdapter.reply(context.getResponse(), body, status);
    const parts = { controller, method, guard };
    return {
      handler: compileRoute({ ...parts, reply, filter: new TextRefusalFilter(this.host) }),
      direct: compileRoute({ ...parts, reply: replyDirectly, filter: refuseDirectly }),
    };
  }

  private replaced(argument: unknown, path: unknown): unknown {
    const fast = typeof argument === 'function' ? this.compiled.get(methodOf(argument)) : undefined;
    if (!fast) return argument;
    this.direct?.add(path, fast.direct);
    const pipeline = argument as RouteHandler;
    const handler: RouteHandler = (request, response, next) =>
      (this.isOn ? fast.handler : pipeline)(request, response, next);
    // Adapters read a route's options from its handler.
    for (const key of Reflect.getMetadataKeys(pipeline) as unknown[])
      Reflect.defineMetadata(key, Reflect.getMetadata(key, pipeline), handler);
    return Object.assign(handler, pipeline);
  }
}
