import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NodeRpc } from 'rookery/channels';
import { activities, type ActivityMessage, viewedApps } from './activity-reporter.js';

const sayMs = 2000;

type Listener = (message: ActivityMessage) => void;

/** In the process that serves pages: tells all processes which apps are viewed, and receives their activities. */
@Injectable()
export class LiveViews implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners = new Map<string, Set<Listener>>();
  private saying: NodeJS.Timeout | undefined;

  constructor(private readonly calls: NodeRpc) {}

  onApplicationBootstrap(): void {
    this.calls.on(activities, (word) => {
      for (const listener of this.listeners.get(word.appId) ?? []) listener(word);
    });
  }

  onApplicationShutdown(): void {
    clearInterval(this.saying);
    this.saying = undefined;
  }

  /** Subscribes to an app's activities in any process. @returns a function that unsubscribes */
  hear(appId: string, listener: Listener): () => void {
    const listeners = this.listeners.get(appId);
    if (listeners) listeners.add(listener);
    else {
      this.listeners.set(appId, new Set([listener]));
      this.say();
    }
    return () => {
      const left = this.listeners.get(appId);
      left?.delete(listener);
      if (left?.size === 0) this.listeners.delete(appId);
    };
  }

  private say(): void {
    const apps = [...this.listeners.keys()];
    if (apps.length === 0) {
      clearInterval(this.saying);
      this.saying = undefined;
      return;
    }
    this.calls.notifyAll(viewedApps, { apps });
    this.saying ??= setInterval(() => this.say(), sayMs).unref();
  }
}
