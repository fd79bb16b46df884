import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NodeRpc } from 'rookery/channels';
import type { ActivityMessage, ViewMessage } from './activity-reporter.js';

/** How long an app stays traced after a request: the viewer may ask for explanations later. */
const rememberedMs = 60_000;
const sayMs = 2000;

type Listener = (happened: ActivityMessage) => void;

/** In the process that serves pages: tells all processes which apps are viewed, and receives their activities. */
@Injectable()
export class LiveViews implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly asked = new Map<string, number>();
  private saying: NodeJS.Timeout | undefined;

  constructor(private readonly calls: NodeRpc) {}

  onApplicationBootstrap(): void {
    this.calls.on<ActivityMessage>('happened', (word) => {
      for (const listener of this.listeners.get(word.appId) ?? []) listener(word);
    });
  }

  onApplicationShutdown(): void {
    clearInterval(this.saying);
    this.saying = undefined;
  }

  /**
   * Starts or extends the tracing of an app, after a request about it.
   * @returns once all processes trace it
   */
  at(appId: string): Promise<unknown> | undefined {
    const isNew = !this.asked.has(appId) && !this.listeners.has(appId);
    this.asked.set(appId, performance.now() + rememberedMs);
    if (!isNew) return undefined;
    this.say();
    return this.calls.askAll('look', { apps: this.apps } satisfies ViewMessage);
  }

  /** Subscribes to an app's activities in any process. @returns a function that unsubscribes */
  hear(appId: string, listener: Listener): () => void {
    void this.at(appId)?.catch(() => undefined);
    const listeners = this.listeners.get(appId) ?? new Set();
    this.listeners.set(appId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(appId);
    };
  }

  private get apps(): readonly string[] {
    return [...new Set([...this.asked.keys(), ...this.listeners.keys()])];
  }

  private say(): void {
    const now = performance.now();
    for (const [appId, until] of this.asked) if (until < now) this.asked.delete(appId);
    const { apps } = this;
    if (apps.length === 0) {
      clearInterval(this.saying);
      this.saying = undefined;
      return;
    }
    this.calls.tellAll('look', { apps } satisfies ViewMessage);
    this.saying ??= setInterval(() => this.say(), sayMs).unref();
  }
}
