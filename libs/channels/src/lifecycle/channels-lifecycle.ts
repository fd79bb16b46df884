import { Injectable } from '@nestjs/common';
import { Listeners } from 'rookery/common';
import { Observable, Subject } from 'rxjs';
import type { LifecycleEvents } from './lifecycle-events.js';

/**
 * What happens on channels and to users, for those who prefer rxjs to the decorators. Over all processes an event comes
 * once, in one that may be another than that on which it happened: subscribe in all of them, at the start.
 */
@Injectable()
export class ChannelsLifecycle {
  private readonly heard = new Map<string, Subject<object>>();

  constructor(private readonly listeners: Listeners) {}

  /** @param pattern the channels (of client events the names, of users the ids); a `*` stands for any characters */
  on<Name extends keyof LifecycleEvents>(name: Name, pattern = '*'): Observable<LifecycleEvents[Name]> {
    return new Observable((subscriber) => this.subject(name, pattern).subscribe(subscriber as never));
  }

  /** Created at the first subscription: before that, nothing is kept. */
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
