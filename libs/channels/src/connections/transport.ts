/** How a kind of transport writes: one object for all connections of that kind. */
export interface Encoding {
  /** What carries a text to the client, whole. */
  encode(text: string): Buffer;
  /** What makes a silent client answer. */
  readonly ping: Buffer;
}

/**
 * How a connection reaches its client. It reports what the client says to its {@link TransportListener}, and keeps no
 * timer of its own.
 */
export interface Transport {
  readonly encoding: Encoding;
  /** The bytes that wait because the client reads slowly. */
  readonly waitingBytes: number;
  readonly isDestroyed: boolean;
  /** Whether the client has shown that it stays: over HTTP, by a second request. It counts towards its app's connections then. */
  readonly isConfirmed: boolean;
  /** The address of the peer: the client, or a proxy; empty when it is no longer known. */
  readonly peerAddress: string;
  /** Writes what the {@link Encoding} made. */
  write(bytes: Buffer): void;
  /** Writes `due`, says goodbye and ends. */
  close(due: Buffer | undefined, code: number, reason: string): void;
  /** Ends without a word. */
  destroy(): void;
  pauseReading(): void;
  resumeReading(): void;
  /** Nothing that the client says is reported any more. */
  stopReading(): void;
}

/** What a transport reports. */
export interface TransportListener {
  /** The client gave a sign of life. */
  onActivity(): void;
  onText(text: string): void;
  /** Bytes of the transport's own that are due to the client, such as the answer to its ping. */
  onAnswer(bytes: Buffer): void;
  /** The client wants to go, or broke the transport's protocol: it is to be closed with this. */
  onClose(code: number, reason: string): void;
  /** Once, when {@link Transport.isConfirmed} becomes true. */
  onConfirmed(): void;
  /** The connection is over, whichever side closed it. */
  onGone(): void;
}
