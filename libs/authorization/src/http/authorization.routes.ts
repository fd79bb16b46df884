import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HostCall, PathPrefixes, replyRefusal, serveRaw } from '#http';
import { AuthorizationSettings } from '../authorization.options.js';
import { refusalOf } from '../refused.js';
import type { Asked, Endpoint } from './authorization-endpoints.js';

type Handler = (request: object, response: object, next: unknown) => Promise<void>;
type Registrar = Readonly<Record<'get' | 'post', (path: string, handler: Handler) => unknown>>;

/**
 * Serves the configured paths on the host's platform. The routes themselves have no guards: the host's guards run
 * before each of its methods.
 */
@Injectable()
export class AuthorizationRoutes {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly prefixes: PathPrefixes,
    private readonly settings: AuthorizationSettings,
  ) {}

  /** Whether there is an HTTP server: a worker-only process has none. */
  get areServed(): boolean {
    return Boolean(this.host.httpAdapter);
  }

  /** The path as clients call it. */
  full(path: string): string {
    return this.prefixes.base + path;
  }

  /** Registers raw body reading, whatever parsers the host has. Call it before the host's routes are built. */
  readBody({ verb, path }: Endpoint): void {
    if (verb === 'get') return;
    serveRaw(this.host, { prefix: this.full(path), bodyLimit: this.settings.requestBytes, refuse: refusalOf });
  }

  serve({ verb, path, answer }: Endpoint): void {
    if (!this.areServed) return;
    const registrar = this.host.httpAdapter as unknown as Registrar; // Its overloads do not matter here.
    registrar[verb](this.full(path), this.handler(answer));
  }

  private handler(answer: Endpoint['answer']): Handler {
    const { httpAdapter } = this.host;
    return async (request, response, next) => {
      try {
        // The platform's response, with a body that we read.
        const answered = await answer(new HostCall(request, response, next) as Asked);
        httpAdapter.setHeader(response, 'cache-control', 'no-store');
        httpAdapter.reply(response, answered, 200);
      } catch (error) {
        // A guard of the host may have answered itself.
        if (!httpAdapter.isHeadersSent(response)) replyRefusal(this.host, response, refusalOf(error));
      }
    };
  }
}
