import { type LiveState, state } from '@rookery/client';
import type { PageChannel } from './page-client.mjs';

/** What events make of a state, whose type only the components know. */
type Changes = Readonly<Record<string, (state: never, data: never) => unknown>>;

/** The state of a channel, shared by all components that follow it, each with its changes. */
export class FollowedState {
  current: unknown;
  private changes: Changes = {};
  private bound: [event: string, callback: (data: unknown) => void][] = [];

  constructor(
    private readonly channel: PageChannel,
    private readonly changed: () => void,
  ) {}

  /** Changes of the same event replace earlier ones. */
  follow(changes: Changes): void {
    const isFollowed = this.bound.length > 0 && Object.keys(changes).every((event) => event in this.changes);
    this.changes = { ...this.changes, ...changes };
    if (isFollowed) return;
    this.end();
    this.live().subscribe((next) => {
      this.current = next;
      this.changed();
    });
    // Events came that nothing followed: only a new state has what they changed.
    if (!this.channel.subscribed) return;
    this.channel.unsubscribe?.();
    this.channel.subscribe?.();
  }

  end(): void {
    for (const [event, callback] of this.bound.splice(0)) this.channel.unbind(event, callback);
  }

  private live(): LiveState<unknown> {
    const latest = Object.keys(this.changes).map(
      (event) => [event, (before: unknown, data: never) => this.changes[event]!(before as never, data)] as const,
    );
    const bind = (event: string, callback: (data: unknown) => void): void => {
      this.bound.push([event, callback]);
      this.channel.bind(event, callback);
    };
    return state<unknown>({ bind }, Object.fromEntries(latest));
  }
}
