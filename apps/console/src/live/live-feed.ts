import { signal } from '@preact/signals';
import { apiPath, ask, pathOf, refusalOf, withQuery } from '../api/ask.js';
import type { Activity, LiveStatus } from '../api/contract.js';
import { type Filter, everything, isEverything, matcherOf, queryOf } from '../api/live-filter.js';
import { LiveBuffer } from './live-buffer.js';

/** An app's activities, as the server streams them to this page. */
export class LiveFeed {
  readonly buffer = new LiveBuffer();
  readonly state = signal<'connecting' | 'live' | 'reconnecting' | 'gone'>('connecting');
  readonly status = signal<LiveStatus>({ dropped: 0, nodes: 0 });
  /** Increases when there is something new to show, at most once a frame. */
  readonly turn = signal(0);
  private filter: Filter = everything;
  private source: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private frame = 0;
  private viewers = 0;

  constructor(private readonly app: string) {}

  /** Receives activities until the returned function is called, beginning with the latest past ones. */
  watch(): () => void {
    if (this.viewers++ === 0) this.open();
    return () => {
      if (--this.viewers === 0) this.close();
    };
  }

  /** Makes the server send only matching activities, and filters the earlier ones again. */
  setFilter(filter: Filter): void {
    const same = JSON.stringify(filter) === JSON.stringify(this.filter);
    this.filter = filter;
    if (same) return;
    this.buffer.filter(matcherOf(filter));
    this.changed();
    if (this.viewers > 0) this.open();
  }

  get isFiltered(): boolean {
    return !isEverything(this.filter);
  }

  hold(holds: boolean): void {
    this.buffer.hold(holds);
    this.changed();
  }

  clear(): void {
    this.buffer.clear();
    this.changed();
  }

  private open(): void {
    this.close();
    this.state.value = this.failures > 0 ? 'reconnecting' : 'connecting';
    const source = new EventSource(apiPath(withQuery(`${pathOf('apps', this.app)}/live`, queryOf(this.filter))));
    source.addEventListener('open', () => {
      this.failures = 0;
      this.state.value = 'live';
    });
    source.addEventListener('activities', ({ data }: MessageEvent<string>) => {
      this.buffer.add(JSON.parse(data) as Activity[]);
      this.changed();
    });
    source.addEventListener('status', ({ data }: MessageEvent<string>) => {
      this.status.value = JSON.parse(data) as LiveStatus;
    });
    source.addEventListener('error', () => this.openLater());
    this.source = source;
  }

  /**
   * A browser gives up after an answer that is not a stream, and tells no status; this retries at growing intervals, and
   * asks why it failed.
   */
  private openLater(): void {
    this.close();
    this.state.value = 'reconnecting';
    this.failures++;
    if (this.failures > 1) void this.askWhy();
    this.retry = setTimeout(() => this.open(), Math.min(10_000, 500 * 2 ** this.failures));
  }

  /** A session that is over signs out, as after any request. An app that was removed comes back only by a reload. */
  private async askWhy(): Promise<void> {
    try {
      await ask('GET', withQuery(`${pathOf('apps', this.app)}/recent`, { kinds: 'error' }));
    } catch (error) {
      if (refusalOf(error).status !== 404) return;
      this.close();
      this.state.value = 'gone';
    }
  }

  private close(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = undefined;
  }

  private changed(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.turn.value++;
    });
  }
}

const feeds = new Map<string, LiveFeed>();

/** The feed of an app, which keeps its activities while you look at other pages. */
export function feedOf(app: string): LiveFeed {
  const feed = feeds.get(app) ?? new LiveFeed(app);
  feeds.set(app, feed);
  return feed;
}
