import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { QuietLog, settledIn } from '#common';
import { limitsOf } from '../../app/app-limits.js';
import { ChannelsSettings } from '../../channels.options.js';
import { Budgets } from '../../connections/budgets.js';
import type { Connection } from '../../connections/connection.js';
import { sessions } from '../../connections/session.js';
import { isEncryptedChannel } from '../../protocol/channel-name.js';
import { jsonText } from '../../protocol/json-text.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { userOf } from './host-request.js';
import type { Answerer } from './answerer.js';
import { errorReply, replyTexts } from './reply-texts.js';
import { RequestBudgets } from './request-budgets.js';
import { RememberedReplies } from './remembered-replies.js';
import { RequestRecords } from './request-records.js';
import { EndpointFailed, type RequestError, requestErrorOf, type Settled, unknownOutcome } from './request-error.js';
import { RequestEndpoints } from './request-endpoints.js';
import { RequestMethods } from './request-methods.js';
import type { RequestMessage } from './request.message.js';

/** Called with the work that a request has begun, which may go on after its reply. */
type Begins = (work: Promise<unknown>) => unknown;

/** Answers the requests of clients (docs/requests.md). Each gets one reply, to the connection that asked. */
@Injectable()
export class ClientRequests implements OnModuleInit, OnApplicationShutdown {
  private readonly faults: QuietLog;

  constructor(
    private readonly methods: RequestMethods,
    private readonly endpoints: RequestEndpoints,
    private readonly budgets: RequestBudgets,
    private readonly remembered: RememberedReplies,
    private readonly refusals: Budgets,
    private readonly records: RequestRecords,
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
    // A method that is late holds its place until it ends.
    let work: Promise<unknown> | undefined;
    void this.settle(connection, message, (begun) => (work = begun))
      .then((settled) => this.reply(connection, message, settled, performance.now() - beganAt))
      .finally(() => void Promise.resolve(work).then(release, release));
  }

  /**
   * Never rejects. What was asked before is looked up first: that it was carried out may be why it is not allowed now.
   */
  private async settle(connection: Connection, message: RequestMessage, begins: Begins): Promise<Settled> {
    const session = sessions.of(connection)?.name.id;
    if (message.again && session === undefined) return unknownOutcome;
    const found = this.find(connection, message);
    const isFound = 'answer' in found;
    if (!isFound && !message.again) return found;
    const carryOut = async (): Promise<Settled> =>
      isFound ? this.carriedOut(connection, message, found, begins) : found;
    if (session === undefined) return carryOut();
    const { timeoutMs } = isFound ? found : this.settings.requests;
    const asking = { app: connection.app, session, userId: userOf(connection, message.channel)?.id, timeoutMs };
    try {
      return await this.remembered.once(asking, message, carryOut);
    } catch (error) {
      return message.again ? unknownOutcome : (requestErrorOf(error) ?? this.fault('A reply', error));
    }
  }

  private async carriedOut(
    connection: Connection,
    message: RequestMessage,
    answerer: Answerer,
    begins: Begins,
  ): Promise<Settled> {
    try {
      return await this.answered(connection, message, answerer, begins);
    } catch (error) {
      return requestErrorOf(error) ?? this.fault(answerer.name, error);
    }
  }

  /** Decides at once what nothing needs to answer: what is not allowed, too large, or not known. */
  private find({ app, subscriptions }: Connection, { channel, name, data }: RequestMessage) {
    const { eventDataBytes } = limitsOf(app, this.settings.limits);
    if (channel !== undefined && !subscriptions?.has(channel))
      return refusal(403, `Not subscribed to ${shown(channel)}`);
    const json = jsonText(data ?? null);
    if (json === undefined) return refusal(400, 'The data is nested too deeply');
    if (Buffer.byteLength(json) > eventDataBytes) return refusal(413, `The data exceeds ${eventDataBytes} bytes`);
    const on = channel === undefined ? '' : ` on ${shown(channel)}`;
    // Nothing is sent in the clear on an encrypted channel, whichever pattern matches its name.
    const mayAnswer = channel === undefined || !isEncryptedChannel(channel);
    const answerer = mayAnswer && (this.methods.find(channel, name) ?? this.endpoints.find(app, channel, name));
    return answerer || refusal(404, `Nothing answers '${shown(name)}'${on}`);
  }

  private async answered(
    connection: Connection,
    message: RequestMessage,
    answerer: Answerer,
    begins: Begins,
  ): Promise<Settled> {
    const answer = answerer.answer(connection, message);
    begins(answer);
    let settled: Settled | undefined;
    // One that is late goes on, and its answer is of no use.
    await settledIn(
      answer.then((value) => (settled = value)),
      answerer.timeoutMs,
    );
    return settled ?? refusal(504, `No reply within ${answerer.timeoutMs} ms`);
  }

  private fault(what: string, error: unknown): RequestError {
    const id = randomUUID();
    if (error instanceof EndpointFailed) {
      const { status, message } = error;
      this.faults.add(`Request ${id}: ${what}: ${message}`);
      return refusal(status, `${STATUS_CODES[status]} (${id})`);
    }
    this.faults.add(
      `Request ${id}: ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return refusal(500, `Internal server error (${id})`);
  }

  private async reply(connection: Connection, message: RequestMessage, settled: Settled, ms: number): Promise<void> {
    const { channel, id } = message;
    this.records.ended(connection, message, settled, ms);
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
  private limit(connection: Connection, message: RequestMessage): void {
    const { channel, id, again } = message;
    const refused = refusal(429, tooMany.message);
    this.records.ended(connection, message, refused);
    if (!this.refusals.refuse(connection, tooMany)) return;
    connection.send(errorReply(channel, id, again ? unknownOutcome : refused));
  }
}

const tooMany = ProtocolError.refused('Too many requests', null, 429);

const refusal = (status: number, message: string): RequestError => ({ status, message });

/** Names of clients may be long. */
const shown = (name: string): string => name.slice(0, 200);
