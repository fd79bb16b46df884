import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import type { FeatureMessageHandler } from '../../events/feature-messages.js';
import { dataOf, type Fields, requiredText } from '../../protocol/client-message.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { ClientRequests } from './client-requests.js';

const event = 'rookery:request';

/** A client's question, with the type of each field checked. */
export interface RequestMessage {
  readonly event: typeof event;
  /** Absent for a request without a channel. */
  readonly channel?: string;
  /** Chosen by the client, and named by the reply: 1 to 64 characters. */
  readonly id: string;
  readonly name: string;
  /** Any JSON. */
  readonly data: unknown;
  /** Whether the client has sent it before, on a connection that was lost. */
  readonly again: boolean;
}

/** `{"event":"rookery:request","channel":"private-game.1","data":{"id":"…","name":"move","data":…}}` (channels-wire §17) */
export function readRequest(frame: Fields): RequestMessage {
  const data = dataOf(frame);
  const id = requiredText(data, 'id');
  if (id.length === 0 || id.length > 64) throw ProtocolError.malformed('id must have 1 to 64 characters');
  const place = frame['channel'] === undefined ? {} : { channel: requiredText(frame, 'channel') };
  return { event, ...place, id, name: requiredText(data, 'name'), data: data['data'], again: data['again'] === true };
}

/** Takes the requests of clients. */
@Injectable()
export class RequestMessages implements FeatureMessageHandler<RequestMessage> {
  readonly event = event;
  readonly read = readRequest;

  constructor(private readonly requests: ClientRequests) {}

  /** Nothing waits for the reply: the connection's further messages are handled at once. */
  handle(connection: Connection, message: RequestMessage): void {
    this.requests.take(connection, message);
  }
}
