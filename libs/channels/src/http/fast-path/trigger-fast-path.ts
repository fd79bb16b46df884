import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { type Awaitable } from '#common';
import { hasGlobalInterceptors, RouteRegistrar, isLocalRequest } from '#http';
import { ClientAddresses } from '../../access/client-addresses.js';
import { type Authenticated, SignedRequests } from '../../access/signed-request.js';
import { ChannelsSettings } from '../../channels.options.js';
import { exactBatch, exactEvent } from '../../events/exact-event.js';
import { type BatchAnswer, EventsService, type TriggerAnswer } from '../../events/events.service.js';
import type { TriggerEvent } from '../../events/trigger-event.js';
import type { RequestHead } from './request-head.js';
import { textRefusal } from '../../access/text-refusal.js';
import { type FastPathAnswer, type FastPathRoute, FastPathRoutes } from './fast-path-routes.js';
import { FastPathSockets } from './fast-path-sockets.js';

/**
 * The fast path of triggers, which are read from their connections without Node's parser and the host's router: the
 * check of SignedRequestGuard, then the service that EventsController calls. See
 * docs/adr/0003-reading-triggers-ourselves.md.
 */
@Injectable()
export class TriggerFastPath implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Channels');
  private sockets: FastPathSockets | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly requests: SignedRequests,
    private readonly events: EventsService,
    private readonly registrar: RouteRegistrar,
    private readonly addresses: ClientAddresses,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    const { bypassRouter, globalInterceptors, limits, localOnly } = this.settings;
    if (!bypassRouter || !this.registrar.areServed) return;
    const isIntercepted = globalInterceptors && hasGlobalInterceptors(this.config);
    if (hasGlobalEnhancers(this.config) || isIntercepted || this.registrar.prefixes.base !== '')
      return this.logger.warn(
        'bypassRouter is off: the application has global guards, pipes, versions, a prefix or interceptors for these paths',
      );
    const routes = new FastPathRoutes(
      {
        events: this.route(({ app, parameters }, body) =>
          this.events.triggerSync(app, exactEvent(parameters as unknown as TriggerEvent, body)),
        ),
        batch_events: this.route(({ app, parameters: { batch } }, body) =>
          this.events.triggerBatchSync(app, exactBatch(batch as readonly TriggerEvent[], body)),
        ),
      },
      limits.requestBytes,
      {
        // SignedRequestGuard decides about the others.
        accepts: localOnly.length > 0 ? isLocalHead : () => true,
        refusal: ({ url }) => this.refusal(url),
        clientAddress: ({ text }, peer) => this.addresses.from(forwardedIn(text), peer),
      },
      this.registrar.prefixes.all,
    );
    this.sockets = FastPathSockets.install(this.host.httpAdapter.getHttpServer(), routes);
  }

  onModuleDestroy(): void {
    this.sockets?.closeAfterAnswers();
  }

  private refusal(url: string): Awaitable<FastPathAnswer | undefined> {
    try {
      return this.requests.checkHead('POST', url)?.then(() => undefined, textRefusal);
    } catch (error) {
      return textRefusal(error);
    }
  }

  /** The services check their arguments first, as for EventsController. Synchronous answers create no promise. */
  private route(
    serve: (request: Authenticated, body: Buffer) => Awaitable<TriggerAnswer | BatchAnswer>,
  ): FastPathRoute {
    return (url, body) => {
      try {
        const found = this.requests.check('POST', url, body);
        const answer = found instanceof Promise ? found.then((each) => serve(each, body)) : serve(found, body);
        return answer instanceof Promise ? answer.then(accepted, textRefusal) : accepted(answer);
      } catch (error) {
        return textRefusal(error);
      }
    };
  }
}

/** The headers of all proxies, joined as Node does. */
const forwardedIn = (head: string): string =>
  Array.from(head.matchAll(/^x-forwarded-for:(.*)$/gim), ([, value]) => value).join(',');

/** Server libraries send no Origin. */
const isLocalHead = ({ text }: RequestHead): boolean =>
  !/^origin:/im.test(text) && isLocalRequest({ host: /^host:(.*)$/im.exec(text)?.[1]?.trim() });

const accepted = (answer: TriggerAnswer | BatchAnswer): FastPathAnswer => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(answer),
});

/**
 * Whether the host has global guards or pipes, which Nest runs before our routes. Global filters are ignored: a controller
 * that catches everything itself leaves nothing to them.
 */
function hasGlobalEnhancers(config: ApplicationConfig): boolean {
  const lists = [
    config.getGlobalGuards(),
    config.getGlobalPipes(),
    config.getGlobalRequestGuards(),
    config.getGlobalRequestPipes(),
    // Nest 11 lacks it.
    config.getGlobalPreRequestHooks?.() ?? [],
  ];
  return config.getVersioning() !== undefined || lists.some((list) => list.length > 0);
}
