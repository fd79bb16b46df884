import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NodeCalls } from 'rookery/channels';
import type { HappenedWord, LookWord } from './watchers.js';

/** Whoever has asked something of an app may ask why in a while. */
const rememberedMs = 60_000;
const sayMs = 2000;

type Listener = (happened: HappenedWord) => void;

/** In the process that serves pages: says to all processes at what somebody looks, and hears what happens there. */
@Injectable()
export class Looks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly asked = new Map<string, number>();
  private saying: NodeJS.Timeout | undefined;

  constructor(private readonly calls: NodeCalls) {}

  onApplicationBootstrap(): void {
    this.calls.on<HappenedWord>('happened', (word) => {
      for (const listener of this.listeners.get(word.appId) ?? []) listener(word);
    });
  }

  onApplicationShutdown(): void {
    clearInterval(this.saying);
    this.saying = undefined;
  }

  /**
   * Somebody has asked something of an app: what happens there is traced for a while.
   * @returns when all processes do so, where they did not yet
   */
  at(appId: string): Promise<unknown> | undefined {
    const isNew = !this.asked.has(appId) && !this.listeners.has(appId);
    this.asked.set(appId, performance.now() + rememberedMs);
    if (!isNew) return undefined;
    this.say();
    return this.calls.askAll('look', { apps: this.apps } satisfies LookWord);
  }

  /** Hears what happens in an app, in any process. @returns how to hear no more */
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
    this.calls.tellAll('look', { apps } satisfies LookWord);
    this.saying ??= setInterval(() => this.say(), sayMs).unref();
  }
}
