import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { QuietLog, settledIn } from '#common';
import { limitsOf } from '../../app/app-limits.js';
import { ChannelsSettings } from '../../channels.options.js';
import { Budgets } from '../../connections/budgets.js';
import type { Connection } from '../../connections/connection.js';
import { sessions } from '../../connections/session.js';
import { jsonText } from '../../protocol/json-text.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { hostCall, userOf } from './host-request.js';
import { errorReply, replyTexts } from './reply-texts.js';
import { RequestBudgets } from './request-budgets.js';
import { RememberedReplies } from './remembered-replies.js';
import { type RequestError, requestErrorOf, type Settled, unknownOutcome } from './request-error.js';
import { type FoundRequestMethod, RequestMethods } from './request-methods.js';
import type { RequestMessage } from './request.message.js';
import { RequestMetrics, type RequestOutcome } from './requests.metrics.js';

/** Answers the requests of clients (docs/requests.md). Each gets one reply, to the connection that asked. */
@Injectable()
export class ClientRequests implements OnModuleInit, OnApplicationShutdown {
  private readonly faults: QuietLog;

  constructor(
    private readonly methods: RequestMethods,
    private readonly budgets: RequestBudgets,
    private readonly remembered: RememberedReplies,
    private readonly refusals: Budgets,
    private readonly metrics: RequestMetrics,
    private readonly settings: ChannelsSettings,
  ) {
    const logger = new Logger('Channels');
    this.faults = new QuietLog((line) => logger.error(line));
  }

  /** @throws Error when methods are not usable, which stops the start */
  onModuleInit(): void {
    this.methods.collect();
  }

  onApplicationShutdown(): void {
    this.faults.end();
  }

  take(connection: Connection, message: RequestMessage): void {
    const beganAt = performance.now();
    const release = this.budgets.begin(connection, userOf(connection, message.channel)?.id);
    if (!release) return this.limit(connection, message);
    void this.settle(connection, message)
      .then((settled) => this.reply(connection, message, settled, performance.now() - beganAt))
      .finally(release);
  }

  /**
   * Never rejects. What was asked before is looked up first: that it was carried out may be why it is not allowed now.
   */
  private async settle(connection: Connection, message: RequestMessage): Promise<Settled> {
    const session = sessions.of(connection)?.name.id;
    if (message.again && session === undefined) return unknownOutcome;
    const found = this.find(connection, message);
    const isFound = 'method' in found;
    if (!isFound && !message.again) return found;
    const carryOut = async (): Promise<Settled> => (isFound ? this.carriedOut(connection, message, found) : found);
    if (session === undefined) return carryOut();
    const asking = { app: connection.app, session, userId: userOf(connection, message.channel)?.id };
    try {
      return await this.remembered.once(asking, message, carryOut);
    } catch (error) {
      return message.again ? unknownOutcome : (requestErrorOf(error) ?? this.fault('A reply', error));
    }
  }

  private async carriedOut(
    connection: Connection,
    message: RequestMessage,
    found: FoundRequestMethod,
  ): Promise<Settled> {
    try {
      return await this.answered(connection, message, found);
    } catch (error) {
      return requestErrorOf(error) ?? this.fault(found.method.name, error);
    }
  }

  /** Decides at once what needs no method: what is not allowed, too large, or not known. */
  private find({ app, subscriptions }: Connection, { channel, name, data }: RequestMessage) {
    const { eventDataBytes } = limitsOf(app, this.settings.limits);
    if (channel !== undefined && !subscriptions?.has(channel))
      return refusal(403, `Not subscribed to ${shown(channel)}`);
    const json = jsonText(data ?? null);
    if (json === undefined) return refusal(400, 'The data is nested too deeply');
    if (Buffer.byteLength(json) > eventDataBytes) return refusal(413, `The data exceeds ${eventDataBytes} bytes`);
    const on = channel === undefined ? '' : ` on ${shown(channel)}`;
    return this.methods.find(channel, name) ?? refusal(404, `Nothing answers '${shown(name)}'${on}`);
  }

  private async answered(connection: Connection, message: RequestMessage, found: FoundRequestMethod): Promise<Settled> {
    const { method, params } = found;
    const { app, socketId } = connection;
    const { channel, data } = message;
    const { timeoutMs, replyBytes } = this.settings.requests;
    const call = hostCall(connection, userOf(connection, channel), data);
    const place = channel === undefined ? {} : { channel: { name: channel, params } };
    const asked = method.ask(call, { app, socketId, ...place });
    let value: unknown;
    // One that is late goes on, and its answer is of no use.
    const isInTime = await settledIn(
      asked.then((answer) => (value = answer)),
      timeoutMs,
    );
    if (!isInTime) return refusal(504, `No reply within ${timeoutMs} ms`);
    // JSON has no undefined.
    const json = JSON.stringify(value ?? null) ?? 'null';
    const bytes = Buffer.byteLength(json);
    if (bytes > replyBytes)
      throw new Error(`its reply has ${bytes} bytes, more than requests.replyBytes (${replyBytes})`);
    return { json };
  }

  private fault(what: string, error: unknown): RequestError {
    const id = randomUUID();
    this.faults.add(
      `Request ${id}: ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return refusal(500, `Internal server error (${id})`);
  }

  private async reply(
    connection: Connection,
    { channel, id }: RequestMessage,
    settled: Settled,
    ms: number,
  ): Promise<void> {
    this.metrics.ended(outcomeOf(settled), ms);
    if (connection.isClosed) return;
    if ('status' in settled) return connection.send(errorReply(channel, id, settled));
    const { json } = settled;
    this.budgets.replied(connection, Buffer.byteLength(json));
    const { eventDataBytes } = limitsOf(connection.app, this.settings.limits);
    const texts = replyTexts(channel, id, json, eventDataBytes);
    if (texts.length === 1) connection.send(texts[0]!);
    else await connection.sendAll(texts);
  }

  /** A client that keeps asking is closed, as after other refused messages. */
  private limit(connection: Connection, { channel, id, again }: RequestMessage): void {
    this.metrics.ended('limited', 0);
    if (!this.refusals.refuse(connection, tooMany)) return;
    connection.send(errorReply(channel, id, again ? unknownOutcome : refusal(429, tooMany.message)));
  }
}

const tooMany = ProtocolError.refused('Too many requests', null, 429);

const refusal = (status: number, message: string): RequestError => ({ status, message });

/** Names of clients may be long. */
const shown = (name: string): string => name.slice(0, 200);

function outcomeOf(settled: Settled): RequestOutcome {
  if ('json' in settled) return 'answered';
  if (settled.status === 504) return 'timeout';
  return settled.status < 500 ? 'refused' : 'failed';
}
