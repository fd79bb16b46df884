import {
  array,
  assert,
  boolean,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../../test/support/cpu-time.js';
import { closeFrame, pongFrame, textFrame } from './frame-encoder.js';
import { type FrameListener, FrameReader } from './frame-reader.js';

const maxBytes = 300_000;

/** Writes down what the reader makes of the bytes. */
class Listener implements FrameListener {
  readonly heard: unknown[] = [];
  onText = (text: string): void => void this.heard.push(text);
  onPing = (payload: Buffer): void => void this.heard.push(['ping', payload.toString('hex')]);
  onPong = (): void => void this.heard.push('pong');
  onEmptyPart = (): void => {};
  onClose = (code: number | undefined): void => void this.heard.push(['close', code]);
  onViolation = (code: number): void => void this.heard.push(['violation', code]);
}

function read(chunks: readonly Uint8Array[]): unknown[] {
  const [reader, listener] = [new FrameReader(maxBytes), new Listener()];
  // The reader unmasks in place, as it may with what a socket gives it.
  for (const chunk of chunks) reader.read(Buffer.from(chunk), listener);
  return listener.heard;
}

function frame(opcode: number, payload: Uint8Array | string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload as string);
  const mask = randomBytes(4);
  const length =
    bytes.length < 126 ? [bytes.length] : bytes.length < 65_536 ? [126, 0, 0] : [127, 0, 0, 0, 0, 0, 0, 0, 0];
  const header = Buffer.from([(isFinal ? 0x80 : 0) | opcode, ...length]);
  if (length.length > 1)
    header.writeUIntBE(bytes.length, header.length - Math.min(length.length - 1, 6), Math.min(length.length - 1, 6));
  header[1]! |= 0x80;
  return Buffer.concat([header, mask, bytes.map((byte, index) => byte ^ mask[index & 3]!)]);
}

/** The bytes cut into pieces of the given sizes, over and over. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, (at += size)));
  }
  return pieces;
}

const sizes = array(integer({ min: 1, max: 2000 }), { maxLength: 5 });

describe('the frames of a client', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, maxBytes])('may have %i bytes', (length) => {
    expect(read([frame(1, 'x'.repeat(length))])).toEqual(['x'.repeat(length)]);
  });

  it('are parsed equally for any packet boundaries and fragmentation', () => {
    const text = oneof(string({ unit: 'binary' }), string({ minLength: 100, maxLength: 500 }));
    const message = record({
      text,
      fragments: array(integer({ min: 0, max: 200 }), { maxLength: 4 }),
      isPinged: boolean(),
    });
    assert(
      property(array(message, { maxLength: 6 }), sizes, (messages, cuts) => {
        const frames: Buffer[] = [];
        const expected: unknown[] = [];
        for (const { text, fragments, isPinged } of messages) {
          const bytes = Buffer.from(text);
          const ends = [...fragments.map((end) => Math.min(end, bytes.length)).toSorted((a, b) => a - b), bytes.length];
          ends.forEach((end, index) => {
            const isLast = index === ends.length - 1;
            frames.push(frame(index === 0 ? 1 : 0, bytes.subarray(ends[index - 1] ?? 0, end), isLast));
            if (isLast || !isPinged) return;
            frames.push(frame(9, 'p'));
            expected.push(['ping', '70']);
          });
          expected.push(bytes.toString());
        }
        expect(read(cut(Buffer.concat(frames), cuts))).toEqual(expected);
      }),
    );
  });

  it('never make the reader throw, for any bytes, and parse equally for any packet boundaries', () => {
    const almostFrame = tuple(constantFrom(0, 1, 2, 3, 8, 9, 10, 15), uint8Array({ maxLength: 140 }), boolean()).map(
      ([opcode, payload, isFinal]) => frame(opcode, payload, isFinal),
    );
    assert(
      property(array(oneof(uint8Array(), almostFrame), { maxLength: 8 }), sizes, (parts, cuts) => {
        const bytes = Buffer.concat(parts);
        expect(read(cut(bytes, cuts))).toEqual(read([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  it('are ignored after a close or a violation', () => {
    expect(read([frame(8, Buffer.from([0x0f, 0xa0])), frame(1, 'late')])).toEqual([['close', 4000]]);
    expect(read([Buffer.concat([frame(2, ''), frame(1, 'late')]), frame(1, 'later')])).toEqual([['violation', 1003]]);
  });

  it('have their size summed over all fragments of a message', () => {
    const half = 'x'.repeat(maxBytes / 2);
    expect(read([frame(1, half, false), frame(0, half)])).toEqual([half + half]);
    expect(read([frame(1, half, false), frame(0, `${half}x`)])).toEqual([['violation', 1009]]);
  });

  it('are parsed in linear time if they arrive byte by byte', async () => {
    const bytes = frame(1, 'x'.repeat(maxBytes));
    const took = await cpuMs(() => expect(read(cut(bytes, [1]))).toHaveLength(1));
    // Copying all that came before with each byte takes far longer.
    expect(took).toBeLessThan(3000);
  });
});

/** What a WebSocket library makes of our frames. */
describe('the frames of the server', () => {
  it('carry any text', () => {
    assert(
      property(
        oneof(
          string({ unit: 'grapheme' }),
          integer({ min: 0, max: 70_000 }).map((n) => 'ü'.repeat(n)),
        ),
        (text) => {
          const bytes = textFrame(text);
          const short = bytes[1]!;
          const start = short < 126 ? 2 : short === 126 ? 4 : 10;
          const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
          expect(bytes[0]).toBe(0x81);
          expect(length).toBe(bytes.length - start);
          expect(bytes.subarray(start).toString()).toBe(text);
        },
      ),
    );
  });

  it('never exceed the size of a control frame in a close, and truncate its reason to valid UTF-8', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 300 }), (reason) => {
        const bytes = closeFrame(4001, reason);
        expect(bytes[1]).toBe(bytes.length - 2);
        expect(bytes.length).toBeLessThanOrEqual(127);
        expect(bytes.readUInt16BE(2)).toBe(4001);
        expect(reason.startsWith(bytes.subarray(4).toString())).toBe(true);
      }),
    );
  });

  it('answer a ping with its payload', () => {
    assert(
      property(uint8Array({ maxLength: 125 }), (payload) => {
        const bytes = pongFrame(Buffer.from(payload));
        expect([bytes[0], bytes[1]]).toEqual([0x8a, payload.length]);
        expect(bytes.subarray(2)).toEqual(Buffer.from(payload));
      }),
    );
  });
});

it('keeps what follows a frame while it is paused, and reads the same afterwards', () => {
  assert(
    property(array(integer({ min: 1, max: 7 }), { maxLength: 5 }), boolean(), (counts, isCut) => {
      const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
      const bytes = Buffer.concat(texts.map((text) => frame(1, text)));
      const [reader, listener] = [new FrameReader(maxBytes), new Listener()];
      let untilPause = 0;
      const pausing: FrameListener = {
        ...listener,
        onText: (text) => {
          listener.onText(text);
          if (--untilPause === 0) reader.pause();
        },
      };
      for (const chunk of isCut ? cut(bytes, [10]) : [bytes]) reader.read(Buffer.from(chunk), pausing);
      for (const count of counts) {
        reader.pause();
        untilPause = count;
        const before = listener.heard.length;
        const isAll = reader.resume(pausing);
        expect(listener.heard.length - before).toBeLessThanOrEqual(count);
        if (isAll) break;
      }
      untilPause = 0;
      while (!reader.resume(pausing));
      expect(listener.heard).toEqual(texts);
    }),
  );
});
