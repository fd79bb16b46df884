import type { Encoding } from './transport.js';

/** What a client is sent: a text of its own, or one that others get too. */
export type SentText = string | SharedText;

/** A text that clients get one after the other, such as that of a stream; see {@link SharedTexts}. */
export class SharedText {
  /** @internal The bytes by encoding; absent until a client gets the text, and once others need the room. */
  encoded: Map<Encoding, Buffer> | undefined;

  constructor(
    readonly text: string,
    private readonly shared: SharedTexts,
  ) {}

  bytes(encoding: Encoding): Buffer {
    return this.encoded?.get(encoding) ?? this.shared.encode(this, encoding);
  }

  /** Frees its bytes: no client will be sent it again. */
  forget(): void {
    this.shared.forget(this);
  }
}

/** Texts that are encoded once for each kind of transport, as long as the bytes of all have room: the oldest give way. */
export class SharedTexts {
  private readonly kept = new Set<SharedText>();
  private bytes = 0;

  constructor(private readonly maxBytes = 33_554_432) {}

  of(text: string): SharedText {
    return new SharedText(text, this);
  }

  encode(text: SharedText, encoding: Encoding): Buffer {
    const bytes = encoding.encodeShared(text.text);
    (text.encoded ??= new Map()).set(encoding, bytes);
    this.kept.add(text);
    this.bytes += bytes.length;
    for (const oldest of this.kept) {
      if (this.bytes <= this.maxBytes) break;
      this.forget(oldest);
    }
    return bytes;
  }

  forget(text: SharedText): void {
    if (!this.kept.delete(text)) return;
    for (const { length } of text.encoded!.values()) this.bytes -= length;
    text.encoded = undefined;
  }
}

export const textOf = (sent: SentText): string => (typeof sent === 'string' ? sent : sent.text);

export const bytesOf = (sent: SentText, encoding: Encoding): Buffer =>
  typeof sent === 'string' ? encoding.encode(sent) : sent.bytes(encoding);
