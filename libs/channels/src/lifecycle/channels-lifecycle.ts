import { Injectable } from '@nestjs/common';
import { Listeners } from '#webhooks';
import { Observable, Subject } from 'rxjs';
import type { LifecycleEvents } from './lifecycle-events.js';

/**
 * What happens on channels and to users, as rxjs observables instead of decorated methods. Each event arrives once over
 * all processes, possibly in another process than the one where it happened: subscribe in every process, at the start.
 */
@Injectable()
export class ChannelsLifecycle {
  private readonly heard = new Map<string, Subject<object>>();

  constructor(private readonly listeners: Listeners) {}

  /**
   * @param pattern matches channel names, for client events their names, for users their ids; `*` matches any
   *   characters
   */
  on<Name extends keyof LifecycleEvents>(name: Name, pattern = '*'): Observable<LifecycleEvents[Name]> {
    return new Observable((subscriber) => this.subject(name, pattern).subscribe(subscriber as never));
  }

  /** Created at the first subscription; earlier events are not kept. */
  private subject(name: string, pattern: string): Subject<object> {
    const key = `${name} ${pattern}`;
    let subject = this.heard.get(key);
    if (!subject) {
      const made = (subject = new Subject<object>());
      this.heard.set(key, made);
      this.listeners.listen({ name, pattern }, `ChannelsLifecycle ${key}`, (payload) => made.next(payload));
    }
    return subject;
  }
}
