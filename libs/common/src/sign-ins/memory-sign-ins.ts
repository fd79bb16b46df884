import { Injectable } from '@nestjs/common';
import { SignIns } from './sign-ins.js';

/** In memory: for one process; a restart ends all sessions. */
@Injectable()
export class MemorySignIns extends SignIns {
  /** The end of each session, in epoch milliseconds. */
  private readonly ends = new Map<string, number>();

  begin(name: string, seconds: number): void {
    const now = Date.now();
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
    this.ends.set(name, now + seconds * 1000);
  }

  isOpen(name: string): boolean {
    return Date.now() < (this.ends.get(name) ?? 0);
  }

  end(name: string): void {
    this.ends.delete(name);
  }
}
