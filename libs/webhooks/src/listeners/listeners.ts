import { type FactoryProvider, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods, singleInstance, glob } from '#common';
import { type TryOutcome, WebhookClient } from '../webhook-client.js';
import type { WebhookDelivery } from '../webhook-delivery.js';
import { type Interest, interests } from './listens-to.js';

type Call = (text: string) => unknown;

interface Listener {
  readonly url: string;
  hears(subject: string): boolean;
}

const scheme = 'listener:';

/**
 * The listening methods of the host's providers. Their events wait in the outbox of webhooks, so that one process calls
 * each method once, and again if it throws.
 */
export class Listeners implements OnModuleInit {
  private readonly logger = new Logger('Listeners');
  private readonly byName = new Map<string, Listener[]>();
  private readonly calls = new Map<string, Call>();

  constructor(
    private readonly discovery: DiscoveryService,
    /**
     * The events of the module, each with a function that turns the JSON in the outbox into the listener's argument.
     */
    private readonly payloads: Readonly<Record<string, (json: string) => object>>,
  ) {}

  /** The provider of a module's listeners. The module imports Nest's DiscoveryModule. */
  static of(payloads: Readonly<Record<string, (json: string) => object>>): FactoryProvider<Listeners> {
    return {
      provide: Listeners,
      inject: [DiscoveryService],
      useFactory: (discovery: DiscoveryService) => new Listeners(discovery, payloads),
    };
  }

  /** @throws Error when a listener's class is request-scoped */
  async onModuleInit(): Promise<void> {
    const found = decoratedMethods<Interest[]>(this.discovery, interests);
    this.warnOfMinified(found.map(({ name }) => name));
    for (const each of found) {
      const heard = each.metadata.filter(({ name }) => name in this.payloads);
      if (heard.length === 0) continue;
      const { name, method } = each;
      const instance = (await singleInstance(each)) as Record<string, (payload: object) => unknown> | undefined;
      if (!instance) throw new Error(`${name} listens to ${heard[0]!.name}: its class must not be request-scoped`);
      for (const interest of heard) this.add(interest, this.unused(name), (payload) => instance[method]!(payload));
    }
  }

  /** Registers a function as a listener. @param name equal in all processes */
  listen(interest: Interest, name: string, call: (payload: object) => unknown): void {
    this.add(interest, `${scheme}${name}`, call);
  }

  /** The URLs to which an event is delivered. */
  urls(name: string, subject: string): readonly string[] {
    const listeners = this.byName.get(name);
    return listeners ? listeners.filter((listener) => listener.hears(subject)).map(({ url }) => url) : [];
  }

  /** A client that calls listeners for their URLs, and passes all other requests on. */
  beside(client: Pick<WebhookClient, 'post' | 'close'>): Pick<WebhookClient, 'post' | 'close'> {
    return {
      post: (delivery, timeoutMs) =>
        delivery.url.startsWith(scheme) ? this.hear(delivery, timeoutMs) : client.post(delivery, timeoutMs),
      close: () => client.close(),
    };
  }

  private async hear({ url, body }: WebhookDelivery, timeoutMs: number): Promise<TryOutcome> {
    const call = this.calls.get(url);
    // A process of another version may have the listener.
    if (!call) return { outcome: 'failed', reason: 'this process has no such listener' };
    try {
      await inTime(Promise.resolve(call(body)), timeoutMs);
      return { outcome: 'accepted' };
    } catch (error) {
      this.logger.error(`${url.slice(scheme.length)} failed`, error);
      return { outcome: 'failed', reason: String(error) };
    }
  }

  private add({ name, pattern }: Interest, url: string, call: (payload: object) => unknown): void {
    const payload = this.payloads[name]!;
    this.calls.set(url, async (json) => call(payload(json)));
    const listeners = this.byName.get(name) ?? [];
    this.byName.set(name, listeners);
    listeners.push({ url, hears: glob(pattern) });
  }

  private warnOfMinified(names: readonly string[]): void {
    const minified = names.filter((name) => /^[\w$]{1,2}\./.test(name));
    if (minified.length > 0)
      this.logger.warn(
        `${minified.join(', ')}: a minifier has shortened the names under which calls wait, so the next release may ` +
          'call another method. Have it keep the names of classes, in terser by keep_classnames: true',
      );
  }

  /** Two classes may have the same name: all processes find them in the same order. */
  private unused(name: string): string {
    let url = `${scheme}${name}`;
    for (let n = 2; this.calls.has(url); n++) url = `${scheme}${name}.${n}`;
    return url;
  }
}

async function inTime(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
