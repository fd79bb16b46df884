import { Injectable } from '@nestjs/common';
import { answerMs, claimMs, IdempotencyKeys, type KeyedRequest, type KeyState } from 'rookery/channels';
import { DocumentStore, path } from '../store/document.store.js';

interface Known extends Pick<KeyedRequest, 'print' | 'claimId'> {
  /** Absent while the request is in progress. */
  readonly answer?: string;
}

const byKey = ({ appId, key }: KeyedRequest) => path('idempotency-keys', appId, key);

/** A document for each key, which the store removes when it expires. */
@Injectable()
export class StoredIdempotencyKeys extends IdempotencyKeys {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  claim(request: KeyedRequest): Promise<KeyState> {
    return this.store.transact(async (documents) => {
      const known = await documents.get<Known>(byKey(request));
      const { print, claimId } = request;
      if (!known) {
        documents.set(byKey(request), { print, claimId } satisfies Known, Date.now() + (request.keepMs ?? claimMs));
        return { state: 'claimed' };
      }
      if (known.print !== print) return { state: 'different' };
      if (known.answer !== undefined) return { state: 'answered', answer: known.answer };
      // A claim may be repeated if its answer was lost.
      return { state: known.claimId === claimId ? 'claimed' : 'under way' };
    });
  }

  async answer(request: KeyedRequest, answer: string): Promise<void> {
    await this.store.transact(async (documents) => {
      const known = await documents.get<Known>(byKey(request));
      const { print, claimId } = request;
      // If the key is free by now, the answer is still worth keeping.
      if (known && known.claimId !== claimId) return;
      documents.set(
        byKey(request),
        { print, claimId, answer } satisfies Known,
        Date.now() + (request.keepMs ?? answerMs),
      );
    });
  }

  async release(request: KeyedRequest): Promise<void> {
    await this.store.transact(async (documents) => {
      const known = await documents.get<Known>(byKey(request));
      if (known?.claimId === request.claimId) documents.remove(byKey(request));
    });
  }
}
