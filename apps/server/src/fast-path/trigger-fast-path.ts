import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type Authenticated,
  type BatchAnswer,
  ChannelsSettings,
  ClientAddresses,
  EventsService,
  exactBatch,
  exactEvent,
  SignedRequests,
  textRefusal,
  type TriggerAnswer,
  type TriggerEvent,
} from 'rookery/internal/channels';
import type { Awaitable } from 'rookery/internal/common';
import { isLocalRequest } from 'rookery/internal/http';
import type { RequestHead } from './request-head.js';
import { type FastPathAnswer, type FastPathRoute, FastPathRoutes } from './fast-path-routes.js';
import { FastPathSockets } from './fast-path-sockets.js';

/**
 * The fast path of triggers, which are read from their connections without Node's parser and the host's router: the
 * check of SignedRequestGuard, then the service that EventsController calls. See
 * docs/adr/0003-reading-triggers-ourselves.md.
 */
@Injectable()
export class TriggerFastPath implements OnModuleInit, OnModuleDestroy {
  private sockets: FastPathSockets | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly requests: SignedRequests,
    private readonly events: EventsService,
    private readonly addresses: ClientAddresses,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    const { limits, localOnly, path } = this.settings;
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
      ['', path],
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
