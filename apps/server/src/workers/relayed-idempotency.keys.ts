import { IdempotencyKeys, type KeyedRequest, type KeyState } from 'rookery/channels';
import type { Far, Link } from './link.js';

/** What repeated triggers were answered by any worker of a machine, kept by the process that started them. */
export class RelayedIdempotencyKeys extends IdempotencyKeys {
  private readonly far: Far<IdempotencyKeys>;

  constructor(link: Link) {
    super();
    this.far = link.far('idempotencyKeys');
  }

  claim(request: KeyedRequest): Promise<KeyState> {
    return this.far.claim(request);
  }

  answer(request: KeyedRequest, answer: string): Promise<void> {
    return this.far.answer(request, answer);
  }

  release(request: KeyedRequest): Promise<void> {
    return this.far.release(request);
  }
}
