import { Injectable } from '@nestjs/common';
import { type ChartMinute, ConsoleStore, keptChartMinutes } from './console.store.js';

/** In memory: for one process; a restart ends all sessions and forgets the charts. */
@Injectable()
export class MemoryConsoleStore extends ConsoleStore {
  /** The end of each session, in epoch milliseconds. */
  private readonly ends = new Map<string, number>();
  private minutes: readonly ChartMinute[] = [];

  beginSession(name: string, seconds: number): void {
    const now = Date.now();
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
    this.ends.set(name, now + seconds * 1000);
  }

  hasSession(name: string): boolean {
    return Date.now() < (this.ends.get(name) ?? 0);
  }

  endSession(name: string): void {
    this.ends.delete(name);
  }

  keepMinute(measured: ChartMinute): void {
    const { minute, node } = measured;
    this.minutes = [
      ...this.minutes.filter(
        (each) => each.minute > minute - keptChartMinutes && !(each.minute === minute && each.node === node),
      ),
      measured,
    ].toSorted((left, right) => left.minute - right.minute);
  }

  minutesSince(minute: number): readonly ChartMinute[] {
    return this.minutes.filter((each) => each.minute >= minute);
  }
}
