import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage } from 'node:http';
import { forwardedAddress, forwardedIn, type IsTrusted, peerAddress, trustedProxies } from '#http';
import { ChannelsSettings } from '../channels.options.js';

/** The part of Express in use, so that its types need not be installed. */
interface ExpressApp {
  get(setting: 'trust proxy fn'): IsTrusted | undefined;
}

const trustsNone: IsTrusted = () => false;

/** Answers the addresses of clients whose requests do not pass the host's platform: those that open connections. */
@Injectable()
export class ClientAddresses {
  private readonly ofSettings: IsTrusted | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    { trustProxy }: ChannelsSettings,
  ) {
    this.ofSettings = trustProxy === undefined ? undefined : trustedProxies(trustProxy);
  }

  /** The client's address: as a trusted proxy reports it, otherwise that of the other end of the TCP connection. */
  of(request: IncomingMessage): string {
    return this.forwarded(request) ?? peerAddress(request);
  }

  /** The client's address if a trusted proxy reports it. */
  forwarded(request: IncomingMessage): string | undefined {
    return forwardedAddress(request, this.isTrusted);
  }

  /** The same by the value of the header `X-Forwarded-For`, for a request that Node has not read. */
  from(header: string, peer: string): string {
    return forwardedIn(header, peer, this.isTrusted) ?? peer;
  }

  /** Whether the other end of a connection is a proxy that is trusted. */
  isProxy(peer: string): boolean {
    return this.isTrusted(peer, 0);
  }

  private get isTrusted(): IsTrusted {
    return this.ofSettings ?? this.ofHost;
  }

  /** Fastify does not tell which proxies it trusts. */
  private get ofHost(): IsTrusted {
    const { httpAdapter } = this.host;
    if (httpAdapter?.getType() !== 'express') return trustsNone;
    return httpAdapter.getInstance<ExpressApp>().get('trust proxy fn') ?? trustsNone;
  }
}
