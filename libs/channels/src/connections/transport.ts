/** How a kind of transport writes: one object for all connections of that kind. */
export interface Encoding {
  /** The bytes that carry a whole text to one client. */
  encode(text: string): Buffer;
  /** The same for all clients of a channel: may take longer, because it is done once for all of them. */
  encodeShared(text: string): Buffer;
  /** The bytes that prompt a silent client to answer. */
  readonly ping: Buffer;
}

/**
 * How a connection reaches its client. It reports the client's messages to its {@link TransportListener}, and has no
 * timer of its own.
 */
export interface Transport {
  readonly encoding: Encoding;
  /** Bytes that the client is sent before all others, in one write with what is due in the same tick. */
  readonly opening?: Buffer | undefined;
  /** Bytes queued because the client reads slowly. */
  readonly waitingBytes: number;
  readonly isDestroyed: boolean;
  /** The number of open sockets on which the client waits for messages. */
  readonly sockets: number;
  /**
   * Whether the client has proven that it stays: over HTTP, by a second request. Only then does the connection count
   * towards its app's connections.
   */
  readonly isConfirmed: boolean;
  /** The address of the peer, a client or a proxy; empty once it is unknown. */
  readonly peerAddress: string;
  /** Writes bytes made by the {@link Encoding}. */
  write(bytes: Buffer): void;
  /** Writes `due`, sends the close and ends. */
  close(due: Buffer | undefined, code: number, reason: string): void;
  /** Ends without sending a close. */
  destroy(): void;
  /**
   * Asks the client to echo a number: it proves that it has read everything before. A transport whose clients prove this
   * by their next requests does nothing.
   */
  askEcho(number: number): void;
  pauseReading(): void;
  resumeReading(): void;
  /** Stops reporting messages of the client. */
  stopReading(): void;
}

/** What a transport reports. */
export interface TransportListener {
  /** The address of the client, by which what it sends is counted until it is complete. */
  readonly inputAddress: string;
  /** The client is to be closed: a message took too long, or too much is incomplete. */
  onInputRefused(limit: 'processInputBytes' | 'messageMs'): void;
  /** The client showed activity. */
  onActivity(): void;
  /** The client sent what only keeps the connection alive, such as a ping, a pong or an empty part of a message. */
  onHeartbeat(): void;
  /** The client echoed a number, not necessarily one of {@link Transport.askEcho}. */
  onEcho(number: number): void;
  onText(text: string): void;
  /** Bytes that the transport itself owes the client, such as the answer to its ping. */
  onAnswer(bytes: Buffer): void;
  /** The client closes, or violated the transport's protocol: the connection is to be closed with this code. */
  onClose(code: number, reason: string): void;
  /** Once, when {@link Transport.isConfirmed} becomes true. */
  onConfirmed(): void;
  /** The connection has ended, whichever side closed it. */
  onGone(): void;
}
