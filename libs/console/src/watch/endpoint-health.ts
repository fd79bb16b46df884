import { Injectable } from '@nestjs/common';
import { dropOldest } from 'rookery/internal/common';
import type { ObservedWebhook } from 'rookery/internal/webhooks';
import type { EndpointHealth } from '../contract/index.js';

const maxEndpoints = 1000;
const minuteMs = 60_000;
/** Webhooks that are remembered for one endpoint. */
const maxUndelivered = 1000;
const minutes = 10;

interface Endpoint {
  readonly owner: string;
  readonly url: string;
  at: number;
  status: number | null;
  error: string | null;
  /** The first failure since the endpoint last accepted a webhook. */
  failingSince: number | null;
  acceptedAt: number | null;
  /** Whether a store has the last attempt, if one keeps it. */
  isStored: boolean;
  /** Failures by minute, of the last ten. */
  readonly failures: Map<number, number>;
  /** Those that will be tried again, by their ids. */
  readonly undelivered: Map<string, { readonly createdAt: number; readonly nextAt: number }>;
}

/** What outlives a process. */
export type LastAttempt = Pick<EndpointHealth, 'owner' | 'url' | 'at' | 'status' | 'error' | 'failingSince'>;

/** How the endpoints of webhooks have answered this process lately. */
@Injectable()
export class EndpointHealths {
  private readonly endpoints = new Map<string, Endpoint>();

  /** @param owner the app, or the instance as the trace names it */
  tried(owner: string, webhook: ObservedWebhook, at: number): void {
    const { url, status, error, createdAt = at } = webhook;
    const endpoint = this.endpointOf({ owner, url, at, status, error, failingSince: null });
    Object.assign(endpoint, { at, status, error, isStored: false });
    remember(endpoint, webhook, createdAt);
    if (error === null) return void Object.assign(endpoint, { failingSince: null, acceptedAt: at });
    // Its earlier attempts failed, too, before this process began or in another, unless the endpoint accepted one since.
    endpoint.failingSince ??= webhook.attempt > 1 && createdAt > (endpoint.acceptedAt ?? 0) ? createdAt : at;
    const minute = Math.floor(at / minuteMs);
    endpoint.failures.set(minute, (endpoint.failures.get(minute) ?? 0) + 1);
    dropOldest(endpoint.failures, minutes);
  }

  /** Takes what was stored before this process began. */
  restore(stored: LastAttempt): void {
    const endpoint = this.endpointOf(stored);
    // It was tried in between, and has failed all along.
    if (endpoint.failingSince !== null && stored.failingSince !== null && endpoint.acceptedAt === null)
      endpoint.failingSince = Math.min(endpoint.failingSince, stored.failingSince);
  }

  /** The last attempts of at most `most` endpoints that were tried since they were last {@link stored}. */
  unstored(most: number): readonly LastAttempt[] {
    const tried = [...this.endpoints.values()].filter(({ isStored }) => !isStored);
    return tried
      .slice(0, most)
      .map(({ owner, url, at, status, error, failingSince }) => ({ owner, url, at, status, error, failingSince }));
  }

  /** A store has this attempt. The endpoint may have been tried again meanwhile. */
  stored({ owner, url, at }: LastAttempt): void {
    const endpoint = this.endpoints.get(keyOf(owner, url));
    if (endpoint?.at === at) endpoint.isStored = true;
  }

  /** @param owner all owners without it */
  of(owner: string | undefined, now: number): readonly EndpointHealth[] {
    const since = Math.floor(now / minuteMs) - minutes;
    return [...this.endpoints.values()]
      .filter((each) => owner === undefined || each.owner === owner)
      .map(({ failures, undelivered, isStored: _isStored, ...endpoint }) => {
        const lately = [...failures].filter(([minute]) => minute > since);
        // Whatever was to be tried long ago was tried by another process, or given up.
        const waiting = [...undelivered.values()].filter(({ nextAt }) => nextAt > now - minuteMs);
        return {
          ...endpoint,
          failures: lately.reduce((sum, [, count]) => sum + count, 0),
          undeliveredSince: earliest(waiting.map(({ createdAt }) => createdAt)),
        };
      });
  }

  private endpointOf(first: LastAttempt): Endpoint {
    const key = keyOf(first.owner, first.url);
    const endpoint = this.endpoints.get(key) ?? {
      ...first,
      acceptedAt: null,
      isStored: true,
      failures: new Map(),
      undelivered: new Map(),
    };
    // The one that was used last is dropped last.
    this.endpoints.delete(key);
    this.endpoints.set(key, endpoint);
    dropOldest(this.endpoints, maxEndpoints);
    return endpoint;
  }
}

const keyOf = (owner: string, url: string): string => `${owner} ${url}`;

function remember({ undelivered }: Endpoint, { id, error, nextAt }: ObservedWebhook, createdAt: number): void {
  undelivered.delete(id);
  if (error !== null && nextAt !== null && undelivered.size < maxUndelivered)
    undelivered.set(id, { createdAt, nextAt });
}

const earliest = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.min(...times));

/** The health of each endpoint over all processes: the latest answer to any of them. */
export function mergedHealth(all: readonly EndpointHealth[]): readonly EndpointHealth[] {
  const merged = new Map<string, EndpointHealth>();
  for (const health of all) {
    const key = `${health.owner} ${health.url}`;
    const known = merged.get(key);
    merged.set(key, known ? both(known, health) : health);
  }
  return [...merged.values()];
}

function both(one: EndpointHealth, other: EndpointHealth): EndpointHealth {
  const latest = one.at >= other.at ? one : other;
  // Those of a release before lack it.
  const acceptedAt = Math.max(one.acceptedAt ?? 0, other.acceptedAt ?? 0);
  // A process does not notice that another one's webhook was accepted in between.
  const since = [one.failingSince, other.failingSince].filter((each) => each !== null && each > acceptedAt);
  return {
    ...latest,
    failures: one.failures + other.failures,
    acceptedAt: acceptedAt || null,
    failingSince: latest.failingSince === null ? null : (earliest(since as number[]) ?? acceptedAt),
    undeliveredSince: earliest([one, other].flatMap(({ undeliveredSince }) => undeliveredSince ?? [])),
  };
}
