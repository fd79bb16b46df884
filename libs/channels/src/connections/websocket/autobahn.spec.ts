import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { TransportListener } from '../transport.js';
import { WebSocketTransport } from './websocket.transport.js';

// The cases of the Autobahn test suite for servers, against an echo made of the transport: the number of a case, the bytes
// that a client sends, in the pieces in which they arrive, and what must come back. Two things differ from that suite.
// Binary messages are not part of this protocol (channels-wire §1.1): where a case has one, 1003 comes back. UTF-8 that is
// wrong in the middle of a frame is told when the frame is whole, not before (6.4.3, 6.4.4), which the suite calls
// non-strict. Cases of compression (12, 13) are in deflate.spec.ts.

type Back = string | { pong: string } | { close: number };
type Case = readonly [number: string, pieces: readonly Buffer[], back: readonly Back[]];

const mask = [0x12, 0xab, 0x00, 0xff];
const KiB = 1024;
const MiB = 1024 * KiB;

/** A client's frame; `first` adds to the opcode what the case has set of FIN (0x80) and the reserved bits. */
function frame(opcode: number, payload: Buffer | string = '', first = 0x80): Buffer {
  const bytes = Buffer.from(payload as string);
  for (let at = 0; at < bytes.length; at++) bytes[at]! ^= mask[at & 3]!;
  const { length } = bytes;
  const size =
    length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : [127, 0, 0, 0, 0, 0, 0, 0, 0];
  if (size.length === 9) for (let at = 0; at < 4; at++) size[8 - at] = Math.floor(length / 256 ** at) & 255;
  size[0]! |= 0x80;
  return Buffer.concat([Buffer.from([first | opcode, ...size, ...mask]), bytes]);
}

const text = (payload: Buffer | string): Buffer => frame(1, payload);
const binary = (payload: Buffer | string): Buffer => frame(2, payload);
const ping = (payload: Buffer | string = ''): Buffer => frame(9, payload);
const pong = (payload: Buffer | string = ''): Buffer => frame(10, payload);
const close = (code: number, reason: Buffer | string = ''): Buffer =>
  frame(8, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason as string)]));
const hex = (payload: string): Buffer => Buffer.from(payload.replaceAll(' ', ''), 'hex');

/** A message in frames: a part in each. */
const fragments = (...parts: readonly (Buffer | string)[]): Buffer[] =>
  parts.map((part, at) => frame(at === 0 ? 1 : 0, part, at === parts.length - 1 ? 0x80 : 0));

/** Bytes as they arrive: `size` in each piece. */
function chopped(bytes: Buffer | readonly Buffer[], size: number): Buffer[] {
  const all = Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.subarray(at * size, (at + 1) * size));
}
const octets = (bytes: Buffer | readonly Buffer[]): Buffer[] => chopped(bytes, 1);
const together = (...frames: readonly Buffer[]): Buffer[] => [Buffer.concat(frames)];

const violated = { close: 1002 };
const refused = { close: 1003 };
const notText = { close: 1007 };

const framing: Case[] = [
  ...[0, 125, 126, 127, 128, 65_535, 65_536].map((size, at): Case => [
    `1.1.${at + 1}`,
    [text('*'.repeat(size))],
    ['*'.repeat(size)],
  ]),
  ['1.1.8', chopped(text('*'.repeat(65_536)), 997), ['*'.repeat(65_536)]],
  ...[0, 125, 126, 127, 128, 65_535, 65_536].map((size, at): Case => [
    `1.2.${at + 1}`,
    [binary(Buffer.alloc(size, 0xfe))],
    [refused],
  ]),
  ['1.2.8', chopped(binary(Buffer.alloc(65_536, 0xfe)), 997), [refused]],
];

const full = Buffer.alloc(125, 0xfe);
const pings: Case[] = [
  ['2.1', [ping()], [{ pong: '' }]],
  ['2.2', [ping('Hello, world!')], [{ pong: Buffer.from('Hello, world!').toString('hex') }]],
  ['2.3', [ping(hex('00fffefdfcfb00ff'))], [{ pong: '00fffefdfcfb00ff' }]],
  ['2.4', [ping(full)], [{ pong: full.toString('hex') }]],
  ['2.5', [ping(Buffer.alloc(126, 0xfe))], [violated]],
  ['2.6', octets(ping(full)), [{ pong: full.toString('hex') }]],
  ['2.7', [pong()], []],
  ['2.8', [pong('unsolicited pong payload')], []],
  ['2.9', [pong('unsolicited pong payload'), ping('ping')], [{ pong: '70696e67' }]],
  [
    '2.10',
    together(...Array.from({ length: 10 }, (_, n) => ping(`${n}`))),
    '0123456789'.split('').map((n) => ({ pong: `3${n}` })),
  ],
  [
    '2.11',
    octets(Array.from({ length: 10 }, (_, n) => ping(`${n}`))),
    '0123456789'.split('').map((n) => ({ pong: `3${n}` })),
  ],
];

const hello = 'Hello, world!';
const reserved: Case[] = [
  ['3.1', [frame(1, hello, 0x90)], [violated]],
  ['3.2', together(text(hello), frame(1, hello, 0xa0), ping()), [hello, violated]],
  ['3.3', [text(hello), frame(1, hello, 0xb0), ping()], [hello, violated]],
  ['3.4', octets([text(hello), frame(1, hello, 0xc0), ping()]), [hello, violated]],
  ['3.5', [frame(2, full, 0xd0)], [violated]],
  ['3.6', [frame(9, hello, 0xe0)], [violated]],
  ['3.7', [frame(8, '', 0xf0)], [violated]],
];

const opcodes: Case[] = [3, 11].flatMap((lowest, group): Case[] => [
  [`4.${group + 1}.1`, [frame(lowest)], [violated]],
  [`4.${group + 1}.2`, [frame(lowest + 1, 'reserved opcode payload')], [violated]],
  [`4.${group + 1}.3`, together(text(hello), frame(lowest + 2), ping()), [hello, violated]],
  [`4.${group + 1}.4`, [text(hello), frame(lowest + 3, hello), ping()], [hello, violated]],
  [`4.${group + 1}.5`, octets([text(hello), frame(lowest + 4, hello), ping()]), [hello, violated]],
]);

const [part1, part2, part3, part4, part5] = ['fragment1', 'fragment2', 'fragment3', 'fragment4', 'fragment5'];
const [begin, end] = fragments(part1, part2) as [Buffer, Buffer];
const pinged = { pong: '70696e67' };
const fiveFragments = ((): Buffer[] => {
  const [one, two, three, four, five] = fragments(part1, part2, part3, part4, part5);
  return [one!, two!, ping('ping'), three!, four!, ping('ping'), five!];
})();
const fragmentation: Case[] = [
  ['5.1', [frame(9, part1, 0), frame(0, part2)], [violated]],
  ['5.2', [frame(10, part1, 0), frame(0, part2)], [violated]],
  ['5.3', together(begin, end), [part1 + part2]],
  ['5.4', [begin, end], [part1 + part2]],
  ['5.5', octets([begin, end]), [part1 + part2]],
  ['5.6', together(begin, ping('ping'), end), [pinged, part1 + part2]],
  ['5.7', [begin, ping('ping'), end], [pinged, part1 + part2]],
  ['5.8', octets([begin, ping('ping'), end]), [pinged, part1 + part2]],
  ['5.9', together(frame(0, 'non-continuation payload'), text(hello)), [violated]],
  ['5.10', [frame(0, 'non-continuation payload'), text(hello)], [violated]],
  ['5.11', octets([frame(0, 'non-continuation payload'), text(hello)]), [violated]],
  ['5.12', together(frame(0, 'non-continuation payload', 0), text(hello)), [violated]],
  ['5.13', [frame(0, 'non-continuation payload', 0), text(hello)], [violated]],
  ['5.14', octets([frame(0, 'non-continuation payload', 0), text(hello)]), [violated]],
  ['5.15', together(begin, end, frame(0, part3, 0), text(part4)), [part1 + part2, violated]],
  ['5.16', together(frame(0, part1, 0), frame(1, part2, 0), frame(0, part3)), [violated]],
  ['5.17', together(frame(0, part1), frame(1, part2, 0), frame(0, part3)), [violated]],
  ['5.18', together(frame(1, part1, 0), frame(1, part2)), [violated]],
  ['5.19', together(...fiveFragments), [pinged, pinged, part1 + part2 + part3 + part4 + part5]],
  ['5.20', fiveFragments, [pinged, pinged, part1 + part2 + part3 + part4 + part5]],
];

const greeting = 'Hello-µ@ßöäüàá-UTF-8!!';
const kosme = hex('ceba e1bdb9 cf83 cebc ceb5');
const edited = Buffer.from('edited');
const eachOctet = (bytes: Buffer): Buffer[] => fragments(...chopped(bytes, 1));
/** All that comes after the fragment that is wrong is left out: it must be noticed without. */
const utf8InFragments: Case[] = [
  ['6.1.1', [text('')], ['']],
  ['6.1.2', fragments('', '', ''), ['']],
  ['6.1.3', fragments('', 'middle frame payload', ''), ['middle frame payload']],
  ['6.2.1', [text(greeting)], [greeting]],
  ['6.2.2', fragments('Hello-µ@ßöä', 'üàá-UTF-8!!'), [greeting]],
  ['6.2.3', eachOctet(Buffer.from(greeting)), [greeting]],
  ['6.2.4', eachOctet(kosme), [kosme.toString()]],
  ['6.3.1', [text(Buffer.concat([kosme, hex('eda080'), edited]))], [notText]],
  ['6.3.2', eachOctet(Buffer.concat([kosme, hex('eda080'), edited])).slice(0, kosme.length + 2), [notText]],
  ['6.4.1', fragments(kosme, hex('f4908080'), edited).slice(0, 2), [notText]],
  ['6.4.2', fragments(Buffer.concat([kosme, hex('f4')]), hex('90'), hex('8080'), edited).slice(0, 2), [notText]],
  ['6.4.3', chopped(text(Buffer.concat([kosme, hex('f4908080'), edited])), kosme.length + 6), [notText]],
  ['6.4.4', chopped(text(Buffer.concat([kosme, hex('f4908080'), edited])), kosme.length + 7), [notText]],
];

/** Each in one frame; cases of a group are numbered in their order. */
const sequences: readonly (readonly [group: string, isValid: boolean | 'some', payloads: readonly string[]])[] = [
  [
    '6.5',
    true,
    [kosme.toString('hex'), ...['$', '¢', '€', '𤭢'].map((c) => Buffer.from(`hello${c}world`).toString('hex'))],
  ],
  ['6.6', 'some', Array.from(kosme, (_, at) => kosme.subarray(0, at + 1).toString('hex'))],
  ['6.7', true, ['00', 'c280', 'e0a080', 'f0908080']],
  ['6.8', false, ['f888808080', 'fc8480808080']],
  ['6.9', true, ['7f', 'dfbf', 'efbfbf', 'f48fbfbf']],
  ['6.10', false, ['f7bfbfbf', 'fbbfbfbfbf', 'fdbfbfbfbfbf']],
  ['6.11', 'some', ['ed9fbf', 'ee8080', 'efbfbd', 'f48fbfbf', 'f4908080']],
  ['6.12', false, ['80', 'bf', '80bf', '80bf80', '80bf80bf', '80bf80bf80', '80bf80bf80bf', range(0x80, 0xbf)]],
  ['6.13', false, [spaced(0xc0, 0xdf), spaced(0xe0, 0xef), spaced(0xf0, 0xf7), spaced(0xf8, 0xfb), spaced(0xfc, 0xfd)]],
  ['6.14', false, ['c0', 'e080', 'f08080', 'f8808080', 'fc80808080', 'df', 'efbf', 'f7bfbf', 'fbbfbfbf', 'fdbfbfbfbf']],
  ['6.15', false, ['c0e080f08080f8808080fc80808080dfefbff7bfbffbbfbfbffdbfbfbfbf']],
  ['6.16', false, ['fe', 'ff', 'fefeffff']],
  ['6.17', false, ['c0af', 'e080af', 'f08080af', 'f8808080af', 'fc80808080af']],
  ['6.18', false, ['c1bf', 'e09fbf', 'f08fbfbf', 'f887bfbfbf', 'fc83bfbfbfbf']],
  ['6.19', false, ['c080', 'e08080', 'f0808080', 'f880808080', 'fc8080808080']],
  ['6.20', false, ['eda080', 'edadbf', 'edae80', 'edafbf', 'edb080', 'edbe80', 'edbfbf']],
  [
    '6.21',
    false,
    [
      'eda080edb080',
      'eda080edbfbf',
      'edadbfedb080',
      'edadbfedbfbf',
      'edae80edb080',
      'edae80edbfbf',
      'edafbfedb080',
      'edafbfedbfbf',
    ],
  ],
  ['6.22', true, Array.from({ length: 34 }, (_, at) => codePoint((at >> 1) * 0x10000 + 0xfffe + (at & 1)))],
  ['6.23', true, ['efbfb9', 'efbfba', 'efbfbb', 'efbfbc', 'efbfbd', 'efbfbe', 'efbfbf']],
];

function range(first: number, last: number, after = ''): string {
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at).toString(16) + after).join('');
}
function spaced(first: number, last: number): string {
  return range(first, last, '20');
}
function codePoint(code: number): string {
  return Buffer.from(String.fromCodePoint(code)).toString('hex');
}

const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString()).equals(bytes);
const utf8: Case[] = sequences.flatMap(([group, isValid, payloads]) =>
  payloads.map((payload, at): Case => {
    const bytes = hex(payload);
    const isGood = isValid === 'some' ? isText(bytes) : isValid;
    return [`${group}.${at + 1}`, [text(bytes)], [isGood ? bytes.toString() : notText]];
  }),
);

const valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
// 1015 is not in the suite's list.
const invalid = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 1015];
const closes: Case[] = [
  ['7.1.1', together(text(hello), close(1000)), [hello, { close: 1000 }]],
  ['7.1.2', together(close(1000), close(1000)), [{ close: 1000 }]],
  ['7.1.3', together(close(1000), ping()), [{ close: 1000 }]],
  ['7.1.4', together(close(1000), text(hello)), [{ close: 1000 }]],
  ['7.1.5', together(begin, close(1000), end), [{ close: 1000 }]],
  ['7.1.6', together(text('*'.repeat(256 * KiB)), close(1000), ping()), ['*'.repeat(256 * KiB), { close: 1000 }]],
  ['7.3.1', [frame(8)], [{ close: 1000 }]],
  ['7.3.2', [frame(8, 'a')], [violated]],
  ['7.3.3', [close(1000)], [{ close: 1000 }]],
  ['7.3.4', [close(1000, 'Hello World!')], [{ close: 1000 }]],
  ['7.3.5', [close(1000, '*'.repeat(123))], [{ close: 1000 }]],
  ['7.3.6', [close(1000, '*'.repeat(124))], [violated]],
  ['7.5.1', [close(1000, Buffer.concat([kosme, hex('eda080'), edited]))], [notText]],
  ...valid.map((code, at): Case => [`7.7.${at + 1}`, [close(code)], [{ close: code }]]),
  ...invalid.map((code, at): Case => [`7.9.${at + 1} (${code})`, [close(code)], [violated]]),
  ['7.13.1', [close(5000)], [violated]],
  ['7.13.2', [close(65_535)], [violated]],
];

const most = 16 * MiB;
const inFragments = (bytes: number, each: number): Buffer[] => fragments(...chopped(Buffer.alloc(bytes, '*'), each));
/** What comes for large messages: as much as a socket reads at once. */
const limits: Case[] = [
  ...[64 * KiB, 256 * KiB, MiB, 4 * MiB, 8 * MiB, most].map((size, at): Case => [
    `9.1.${at + 1}`,
    chopped(text('*'.repeat(size)), 64 * KiB),
    ['*'.repeat(size)],
  ]),
  ['9.2.1', chopped(binary(Buffer.alloc(64 * KiB)), 64 * KiB), [refused]],
  ...[64, 256, KiB, 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB, 4 * MiB].map((size, at): Case => [
    `9.3.${at + 1}`,
    chopped(inFragments(4 * MiB, size), 64 * KiB),
    ['*'.repeat(4 * MiB)],
  ]),
  ['9.4.1', [frame(2, Buffer.alloc(64), 0)], [refused]],
  ...[64, 128, 256, 512, KiB, 2 * KiB].map((size, at): Case => [
    `9.5.${at + 1}`,
    chopped(text('*'.repeat(MiB)), size),
    ['*'.repeat(MiB)],
  ]),
  ['9.6.1', chopped(binary(Buffer.alloc(64 * KiB)), 64), [refused]],
  ...[0, 16, 64, 256, KiB, 4 * KiB].map((size, at): Case => [
    `9.7.${at + 1}`,
    Array.from({ length: 1000 }, () => text('*'.repeat(size))),
    Array.from({ length: 1000 }, () => '*'.repeat(size)),
  ]),
  ['9.8.1', [binary('')], [refused]],
  ['10.1.1', inFragments(65_536, 1300), ['*'.repeat(65_536)]],
  ['over the limit', chopped(text('*'.repeat(most + 1)), 64 * KiB), [{ close: 1009 }]],
  ['over the limit in fragments', inFragments(most + 1, MiB), [{ close: 1009 }]],
  [
    'at the limit, with a ping between',
    fragments('*'.repeat(most), '').flatMap((each) => [each, ping('ping')]),
    [pinged, '*'.repeat(most), pinged],
  ],
];

describe.each<[string, readonly Case[]]>([
  ['framing', framing],
  ['pings and pongs', pings],
  ['reserved bits', reserved],
  ['opcodes', opcodes],
  ['fragmentation', fragmentation],
  ['UTF-8 in fragments', utf8InFragments],
  ['UTF-8', utf8],
  ['closing', closes],
  ['limits', limits],
])('of the Autobahn suite, %s:', (_, cases) => {
  it.each(cases)('%s', (_number, pieces, back) => {
    expect(echoed(pieces)).toEqual(back);
  });
});

/** What an echo answers to the pieces, frame by frame. */
function echoed(pieces: readonly Buffer[]): Back[] {
  const written: Buffer[] = [];
  const socket = new FakeSocket({
    write: (chunk: Buffer, _, done) => {
      written.push(chunk);
      done();
    },
  });
  const transport = new WebSocketTransport(socket as unknown as Socket, most);
  transport.attach(new Echo(transport), Buffer.alloc(0));
  // The reader unmasks in place, as it may with what a socket gives it.
  for (const piece of pieces) socket.emit('data', Buffer.from(piece));
  return framesOf(Buffer.concat(written));
}

class FakeSocket extends Duplex {
  setNoDelay = (): void => {};
  setTimeout = (): void => {};
  override _read = (): void => {};
}

class Echo implements TransportListener {
  constructor(private readonly transport: WebSocketTransport) {}
  onActivity = (): void => {};
  onConfirmed = (): void => {};
  onGone = (): void => {};
  readonly inputAddress = '';
  onInputRefused = (): void => {};
  onHeartbeat = (): void => {};
  onEcho = (): void => {};
  onText = (message: string): void => this.transport.write(this.transport.encoding.encode(message));
  onAnswer = (bytes: Buffer): void => this.transport.write(bytes);
  onClose(code: number, reason: string): void {
    this.transport.close(undefined, code, reason);
    this.transport.stopReading();
  }
}

function framesOf(bytes: Buffer): Back[] {
  const frames: Back[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1]!;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    const length = short < 126 ? short : bytes.readUIntBE(short === 126 ? at + 2 : at + 4, short === 126 ? 2 : 6);
    const payload = bytes.subarray(start, start + length);
    const opcode = bytes[at]!;
    if (opcode === 0x81) frames.push(payload.toString());
    else frames.push(opcode === 0x8a ? { pong: payload.toString('hex') } : { close: payload.readUInt16BE(0) });
    at = start + length;
  }
  return frames;
}
