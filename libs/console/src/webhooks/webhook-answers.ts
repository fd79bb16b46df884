import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { loggedUrl } from 'rookery/internal/common';
import { type DeadLetter, deadLetterCursor, isDeadLetterCursor, webhookEventsIn } from 'rookery/internal/webhooks';
import { pageOf, pageSize } from '../page.js';
import { badRequest, ConsoleError, notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import type { DeadWebhook, DeadWebhooks, EndpointHealth, Webhooks, WebhookTest } from '../contract/index.js';
import { Processes } from '../processes/processes.js';
import { PushServices } from '../push/push-services.js';
import { withoutPayload } from '../watch/activity.js';
import { ActivityRecorder } from '../watch/activity-recorder.js';
import { mergedHealth } from '../watch/endpoint-health.js';
import { tracedInstance, type WebhookOwner } from './webhook-owner.js';

const maxTries = 200;
const maxFailing = 100;

/** Answers about the webhooks of an app or a push instance. */
@Injectable()
export class WebhookAnswers implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly processes: Processes,
    private readonly settings: ConsoleSettings,
    private readonly recorder: ActivityRecorder,
    private readonly push: PushServices,
  ) {}

  onApplicationBootstrap(): void {
    // Those of apps are observed with all else.
    this.push.observeWebhooks(({ instanceId, body: data, webhook }) =>
      this.recorder.observed({ appId: tracedInstance(instanceId), kind: 'webhook', data, webhook }),
    );
  }

  onApplicationShutdown(): void {
    this.push.observeWebhooks(undefined);
  }

  /** The endpoints of all apps and instances whose last attempt failed, within ten minutes; the longest failing first. */
  async failing(): Promise<readonly EndpointHealth[]> {
    const all = await this.healthOf({});
    const failing = all.filter(({ failingSince, failures }) => failingSince !== null && failures > 0);
    return failing.toSorted((left, right) => left.failingSince! - right.failingSince!).slice(0, maxFailing);
  }

  async state({ id, traced, letters, endpoints }: WebhookOwner): Promise<Webhooks> {
    const [tries, health, { webhooks, oldestDueAt }, dead] = await Promise.all([
      this.processes.all('tries', { traced, most: maxTries }),
      this.healthOf({ traced }),
      letters.backlog(),
      letters.counts(id),
    ]);
    const attempts = tries.flat().toSorted((left, right) => right.at - left.at);
    const shown = attempts.slice(0, maxTries);
    return {
      health,
      endpoints: endpoints.map(({ url, events, filter, headers }) => ({ url, events, filter, headers })),
      attempts: this.settings.hidePayloads ? shown.map(withoutPayload) : shown,
      waiting: webhooks,
      firstDueAt: oldestDueAt ?? null,
      dead: dead.kept,
      dropped: dead.dropped,
    };
  }

  private async healthOf(asked: { readonly traced?: string }): Promise<readonly EndpointHealth[]> {
    return mergedHealth((await this.processes.all('health', asked)).flat());
  }

  async dead({ id, letters }: WebhookOwner, cursor: unknown = ''): Promise<DeadWebhooks> {
    if (typeof cursor !== 'string' || (cursor !== '' && !isDeadLetterCursor(cursor)))
      throw badRequest('cursor must be the next of an earlier answer.');
    const { rows, next } = pageOf(await letters.latest(id, cursor, pageSize + 1), deadLetterCursor);
    return { webhooks: rows.map((letter) => this.shownDead(letter)), next };
  }

  /**
   * An endpoint has no id but its position, so the request also says which URL it means.
   * @throws ConsoleError 404, 409
   */
  async test({ endpoints }: WebhookOwner, position: string, url: unknown): Promise<WebhookTest> {
    const endpoint = endpoints[Number(position)];
    if (!endpoint) throw notFound('The webhook');
    if (endpoint.url !== url) throw new ConsoleError(409, 'The webhooks were changed. Reload the page.');
    const { tried, body, durationMs } = await endpoint.test();
    const { hidePayloads } = this.settings;
    return {
      isAccepted: tried.outcome === 'accepted',
      status: tried.status ?? null,
      error: tried.outcome === 'accepted' ? null : tried.reason,
      answer: hidePayloads ? null : (tried.answer ?? null),
      durationMs,
      body: hidePayloads ? null : body,
    };
  }

  private shownDead({ delivery: { id, url, body }, diedAt, reason }: DeadLetter): DeadWebhook {
    const { hidePayloads } = this.settings;
    return {
      id,
      url: loggedUrl(url),
      events: webhookEventsIn(body),
      at: diedAt,
      // What follows is the endpoint's answer.
      lastError: hidePayloads ? reason.replace(/^(it answered \d{3}):[^]*$/, '$1') : reason,
      body: hidePayloads ? null : body,
    };
  }
}
