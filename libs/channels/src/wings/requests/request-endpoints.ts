import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { loggedUrl } from '#common';
import type { App } from '../../app/app.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { isNamedBy } from '../../protocol/name-pattern.js';
import { signedHeaders } from '../../webhooks/signed-webhook.js';
import type { Answerer } from './answerer.js';
import { EndpointClient } from './endpoint-client.js';
import type { RequestEndpoint } from './endpoints.options.js';
import { userOf } from './host-request.js';
import type { RequestMessage } from './request.message.js';

const maxEndpoints = 1000;

/** The endpoints of apps that answer requests, whatever they are written in. */
@Injectable()
export class RequestEndpoints implements OnApplicationShutdown {
  /** Ordered by last use. */
  private readonly clients = new Map<string, EndpointClient>();

  constructor(private readonly settings: ChannelsSettings) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Array.from(this.clients.values(), (client) => client.close()));
  }

  find(app: App, channel: string | undefined, name: string): Answerer | undefined {
    const found = app.requests.find((each) => isNamedBy(each.name, name) && isOn(each, channel));
    return found && this.answererOf(app, found);
  }

  private answererOf(app: App, { url, timeoutMs = this.settings.requests.timeoutMs }: RequestEndpoint): Answerer {
    return {
      name: `${loggedUrl(url)} of app ${app.id}`,
      timeoutMs,
      answer: (connection, message) => {
        const body = JSON.stringify(bodyOf(connection, message));
        return this.clientOf(app, url).post(body, signedHeaders(app, body), timeoutMs);
      },
    };
  }

  /** One for each, so that no endpoint waits for the connections of another. */
  private clientOf({ id }: App, url: string): EndpointClient {
    const key = `${id} ${url}`;
    const client = this.clients.get(key) ?? this.newClient(id, url);
    this.clients.delete(key);
    this.clients.set(key, client);
    if (this.clients.size > maxEndpoints) this.finishOldest();
    return client;
  }

  private newClient(appId: string, url: string): EndpointClient {
    const { allowPrivateNetwork, requests } = this.settings;
    return new EndpointClient(`${loggedUrl(url)} of app ${appId}`, url, {
      allowPrivateNetwork,
      replyBytes: requests.replyBytes,
    });
  }

  private finishOldest(): void {
    for (const [key, client] of this.clients) {
      this.clients.delete(key);
      return void client.finish();
    }
  }
}

const isOn = ({ channels }: RequestEndpoint, channel: string | undefined): boolean =>
  channel === undefined || channels === undefined ? channel === channels : isNamedBy(channels, channel);

/** `{"app_id":"…","time_ms":…,"name":"game.move","channel":"private-game.1","socket_id":"…","user_id":"…","data":…}` */
const bodyOf = (connection: Connection, { name, channel, data }: RequestMessage) => ({
  app_id: connection.app.id,
  time_ms: Date.now(),
  name,
  channel,
  socket_id: connection.socketId,
  user_id: userOf(connection, channel)?.id,
  data: data ?? null,
});
