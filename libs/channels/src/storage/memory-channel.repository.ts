import { Injectable } from '@nestjs/common';
import { type CachedEvent, ChannelRepository } from './channel.repository.js';

interface AppState {
  connections: number;
  readonly counts: Map<string, number>;
  readonly cached: Map<string, CachedEvent & { readonly expiresAt: number }>;
}

const sweepEvery = 1024;

/** In memory: for one process; state is lost on restart. */
@Injectable()
export class MemoryChannelRepository extends ChannelRepository {
  private readonly apps = new Map<string, AppState>();
  private remembered = 0;

  subscribe(appId: string, channel: string): number {
    const { counts } = this.app(appId);
    const count = (counts.get(channel) ?? 0) + 1;
    counts.set(channel, count);
    return count;
  }

  unsubscribe(appId: string, channel: string): number {
    const { counts } = this.app(appId);
    const count = (counts.get(channel) ?? 0) - 1;
    if (count > 0) counts.set(channel, count);
    else counts.delete(channel);
    return Math.max(count, 0);
  }

  subscriptionCount(appId: string, channel: string): number {
    return this.app(appId).counts.get(channel) ?? 0;
  }

  occupied(appId: string, prefix: string): readonly string[] {
    return [...this.app(appId).counts.keys()].filter((channel) => channel.startsWith(prefix));
  }

  admit(appId: string, limit: number): boolean {
    const app = this.app(appId);
    if (app.connections >= limit) return false;
    app.connections++;
    return true;
  }

  dismiss(appId: string): void {
    this.app(appId).connections--;
  }

  remember(appId: string, channel: string, { event, data }: CachedEvent, ttlSeconds: number): void {
    this.app(appId).cached.set(channel, { event, data, expiresAt: Date.now() + ttlSeconds * 1000 });
    if (++this.remembered % sweepEvery === 0) this.forgetExpired();
  }

  recall(appId: string, channel: string): (CachedEvent & { readonly ttlSeconds: number }) | undefined {
    const { cached } = this.app(appId);
    const entry = cached.get(channel);
    if (!entry) return undefined;
    const leftMs = entry.expiresAt - Date.now();
    if (leftMs > 0) return { event: entry.event, data: entry.data, ttlSeconds: Math.ceil(leftMs / 1000) };
    cached.delete(channel);
    return undefined;
  }

  // Channels that nobody asks for again would stay for ever.
  private forgetExpired(): void {
    const now = Date.now();
    for (const { cached } of this.apps.values())
      for (const [channel, { expiresAt }] of cached) if (expiresAt <= now) cached.delete(channel);
  }

  private app(appId: string): AppState {
    let app = this.apps.get(appId);
    if (!app) this.apps.set(appId, (app = { connections: 0, counts: new Map(), cached: new Map() }));
    return app;
  }
}
