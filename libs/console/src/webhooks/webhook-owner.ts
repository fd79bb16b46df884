import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ChannelsDeadLetters, WebhookTestService } from 'rookery/internal/channels';
import { loggedUrl } from 'rookery/internal/common';
import type { DeadLettersService, TestedWebhook } from 'rookery/internal/webhooks';
import { AppInPath } from '../channels/app-in-path.js';
import type { WebhookEndpoint } from '../contract/index.js';
import { PushServices } from '../push/push-services.js';

/** An app or a push instance, as the owner of webhooks. */
export interface WebhookOwner {
  readonly id: string;
  /** Its name in the trace: an app and an instance may have the same id. */
  readonly traced: string;
  readonly letters: DeadLettersService;
  readonly endpoints: readonly (WebhookEndpoint & { test(): Promise<TestedWebhook> })[];
}

/** A push instance's name in the trace; no app has a slash in its id. */
export const tracedInstance = (id: string): string => `instance/${id}`;

@Injectable()
class OwnerInPath implements PipeTransform<Readonly<Record<string, string>>, Promise<WebhookOwner>> {
  constructor(
    private readonly apps: AppInPath,
    private readonly letters: ChannelsDeadLetters,
    private readonly tests: WebhookTestService,
    private readonly push: PushServices,
  ) {}

  /** @throws ConsoleError 404 */
  transform({ app, instance = '' }: Readonly<Record<string, string>>): Promise<WebhookOwner> {
    return app === undefined ? this.instance(instance) : this.app(app);
  }

  private async app(id: string): Promise<WebhookOwner> {
    const app = await this.apps.transform(id);
    const endpoints = app.webhooks.map((webhook) => ({
      url: loggedUrl(webhook.url),
      events: webhook.events ?? [],
      filter: webhook.filter ?? null,
      headers: Object.keys(webhook.headers ?? {}),
      test: () => this.tests.test(app, webhook),
    }));
    return { id: app.id, traced: app.id, letters: this.letters, endpoints };
  }

  private async instance(id: string): Promise<WebhookOwner> {
    const instance = await this.push.find(id);
    const { letters, webhookTests } = this.push.parts;
    const endpoints = (instance.webhooks ?? []).map((webhook) => ({
      url: loggedUrl(webhook.url),
      events: webhook.events ?? [],
      filter: null,
      headers: [],
      test: () => webhookTests.test(instance, webhook),
    }));
    return { id: instance.id, traced: tracedInstance(instance.id), letters, endpoints };
  }
}

/** The app or the instance that the path names. */
export const InOwner = (): ParameterDecorator => Param(OwnerInPath);
