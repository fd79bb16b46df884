import {
  type FactoryProvider,
  type InjectionToken,
  type OnApplicationShutdown,
  type OnModuleInit,
  Scope,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, ContextIdFactory, ExternalContextCreator, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { ServerResponse } from 'node:http';
import { isObject } from '#common';
import { enhanced, type EnhancedMethod } from './enhanced.js';
import { warnOfGlobalGuards } from './global-guards.js';
import type { DescribedApi } from './described-api.js';
import type { HostingOptions } from './hosting.options.js';
import { PathPrefixes } from './path-prefixes.js';
import type { RawRoutes } from './raw-routes.js';
import { servePaths } from './is-rookery-path.js';
import { type Refusal, replyRefusal } from './refusal.js';
import { replyJson } from './reply-json.express.js';
import { type Route, routesOf } from './rookery-controller.js';
import { type FastifyRouter, type HandledRoute, routesOnFastify } from './routes.fastify.js';
import { serveRaw } from './serve-raw.js';

/** The controllers of a module, and how their errors are answered. */
export interface ApiRoutes {
  /** The module's name, as the host knows it. */
  readonly module: string;
  readonly controllers: readonly Type<object>[];
  readonly refuse: (error: unknown) => Refusal;
  /** Whether people call them, who can pass the application's own guards. @default false: SDKs do */
  readonly isForPeople?: boolean;
  /** Makes their part of the OpenAPI document: a start needs none. */
  readonly describe?: () => DescribedApi;
}

/** The parts of Nest's adapters in use. */
type Registrar = Record<Route['verb'], (path: string, handler: HandledRoute['handle']) => unknown>;

/**
 * Serves a module's controllers on the host's platform, with the guards and pipes that Nest would run around them, and
 * interceptors if the host lets them in; as in @nestjs/graphql, without Nest's router: see `RookeryController`.
 */
export class RouteRegistrar implements OnModuleInit, OnApplicationShutdown {
  private stopServing: (() => void) | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
    private readonly api: ApiRoutes,
    private readonly hosting: HostingOptions,
    readonly prefixes: PathPrefixes,
  ) {}

  /** The provider of a module's routes, beside that of its {@link PathPrefixes}; `options` is the token of its options. */
  static of(api: ApiRoutes, options: InjectionToken): FactoryProvider<RouteRegistrar> {
    return {
      provide: RouteRegistrar,
      inject: [HttpAdapterHost, ApplicationConfig, ModuleRef, ExternalContextCreator, options, PathPrefixes],
      useFactory: (
        host: HttpAdapterHost,
        config: ApplicationConfig,
        modules: ModuleRef,
        contexts: ExternalContextCreator,
        hosting: HostingOptions,
        prefixes: PathPrefixes,
      ) => new RouteRegistrar(host, config, modules, contexts, api, hosting, prefixes),
    };
  }

  /** Whether routes are served: not in a worker-only process, or if the host turned HTTP off. */
  get areServed(): boolean {
    return Boolean(this.host.httpAdapter) && this.hosting.serveRoutes !== false;
  }

  get description(): DescribedApi | undefined {
    return this.api.describe?.();
  }

  /** The routes that are served once the application has started, without those under the second prefix. */
  get all(): Route[] {
    return this.routesUnder(this.prefixes.base);
  }

  /** Reads the bodies of these routes as raw bytes; call it from `NestModule.configure()`. See {@link serveRaw}. */
  readBodies(routes: Omit<RawRoutes, 'refuse'>): void {
    if (!this.areServed) return;
    for (const prefix of this.prefixes.all)
      serveRaw(this.host, { ...routes, prefix: prefix + routes.prefix, refuse: this.api.refuse });
  }

  /** By now the host's middleware and its own routes are registered. */
  onModuleInit(): void {
    if (!this.areServed) return;
    const { httpAdapter } = this.host;
    const routes = this.prefixes.all
      .flatMap((prefix) => this.routesUnder(prefix))
      .map((route) => ({ ...route, handle: this.handler(route) }));
    this.stopServing = servePaths(routes.map(({ path }) => path));
    if (httpAdapter.getType() === 'fastify') return routesOnFastify(httpAdapter.getInstance<FastifyRouter>(), routes);
    const registrar = httpAdapter as unknown as Registrar; // Its overloads do not matter here.
    for (const { verb, path, handle } of routes) registrar[verb](path, handle);
  }

  onApplicationShutdown(): void {
    this.stopServing?.();
  }

  private routesUnder(prefix: string): Route[] {
    return this.api.controllers
      .flatMap((controller) => routesOf(controller))
      .map((route) => ({ ...route, path: prefix + route.path }));
  }

  private handler(route: Route): HandledRoute['handle'] {
    // Made at the first request: most processes never call most routes, and making them all would delay the start.
    let call: EnhancedMethod | undefined;
    const isWritten = route.verb !== 'get' && route.verb !== 'all' && this.host.httpAdapter.getType() === 'express';
    return async (request, response, next) => {
      try {
        call ??= this.call(route);
        const answer = await call(request, response, next);
        if (isWritten && isObject(answer) && !(answer instanceof StreamableFile))
          return replyJson(response as ServerResponse, answer, route.status);
        const replied: unknown = this.host.httpAdapter.reply(response, answer, route.status);
        // Fastify treats a handler that finishes before the first byte as one without an answer.
        return answer instanceof StreamableFile ? replied : undefined;
      } catch (error) {
        this.warnOfGuards(route, error);
        replyRefusal(this.host, response, this.api.refuse(error));
        return undefined;
      }
    };
  }

  private warnOfGuards({ verb, path }: Route, error: unknown): void {
    if (this.hosting.allowGlobalGuards || this.api.isForPeople) return;
    warnOfGlobalGuards(this.config, this.api.module, `${verb.toUpperCase()} ${path}`, error);
  }

  private call({ controller, method }: Route): EnhancedMethod {
    const { globalInterceptors = false } = this.hosting;
    if (this.modules.introspect(controller).scope !== Scope.REQUEST)
      return enhanced(this.contexts, this.modules.get(controller), method, globalInterceptors);
    // The host has request-scoped global enhancers.
    return async (request, response, next) => {
      const contextId = ContextIdFactory.getByRequest(request as object);
      this.modules.registerRequestByContextId(request, contextId);
      const instance = await this.modules.resolve(controller, contextId);
      return enhanced(this.contexts, instance, method, globalInterceptors, contextId)(request, response, next);
    };
  }
}
