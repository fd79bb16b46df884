import { array, assert, constantFrom, integer, property, string, tuple, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bytes } from '../bytes.js';
import { BadHeaderBlock, HeaderDecoder } from './decoder.js';
import { HeaderEncoder } from './encoder.js';
import { huffmanDecoded } from './huffman.js';
import type { Field } from './static-table.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('the decoder reads the examples of RFC 7541', () => {
  const date = 'Mon, 21 Oct 2013 20:13:21 GMT';
  const rest: readonly Field[] = [
    ['cache-control', 'private'],
    ['date', date],
    ['location', 'https://www.example.com'],
  ];

  it('C.2: literals of all kinds', () => {
    const decode = (hex: string) => new HeaderDecoder().decode(bytes(hex));
    expect(decode('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572')).toEqual([
      ['custom-key', 'custom-header'],
    ]);
    expect(decode('040c 2f73 616d 706c 652f 7061 7468')).toEqual([[':path', '/sample/path']]);
    expect(decode('1008 7061 7373 776f 7264 0673 6563 7265 74')).toEqual([['password', 'secret']]);
    expect(decode('82')).toEqual([[':method', 'GET']]);
  });

  it('C.6: answers in Huffman code that build on each other', () => {
    const decoder = new HeaderDecoder();
    const first = `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
      2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`.replaceAll('\n', '');
    expect(decoder.decode(bytes(first))).toEqual([[':status', '302'], ...rest]);
    expect(decoder.decode(bytes('4883 640e ffc1 c0bf'))).toEqual([[':status', '307'], ...rest]);
  });
});

it.each([
  ['an index of nothing', 'be'],
  ['index 0', '80'],
  ['a string that is cut off', '0005 61'],
  ['an integer without end', 'ffffffffffffffffff'],
  ['a table larger than allowed', '3fe2 1f'],
  ['padding that is not ones', '0081 1c 00'],
  ['the end of a string within one', '0084 ffff fffc 00'],
])('the decoder refuses %s', (_what, hex) => {
  expect(() => new HeaderDecoder().decode(bytes(hex))).toThrow(BadHeaderBlock);
});

it('the decoder ends on any bytes', () => {
  assert(
    property(uint8Array({ maxLength: 60 }), (block) => {
      try {
        new HeaderDecoder().decode(Buffer.from(block));
      } catch (error) {
        expect(error).toBeInstanceOf(BadHeaderBlock);
      }
    }),
  );
});

it('the Huffman code has a byte for everything: nothing is left over', () => {
  expect(huffmanDecoded(bytes('ffff ffff'))).toBeUndefined();
  expect(huffmanDecoded(bytes('f1e3 c2e5 f23a 6ba0 ab90 f4ff'))).toBe('www.example.com');
  expect(huffmanDecoded(Buffer.alloc(0))).toBe('');
});

describe('the encoder', () => {
  const setUp = () => {
    const out = new Bytes();
    const encoder = new HeaderEncoder(out);
    const write = (headers: readonly Field[], path?: string) => {
      encoder.write(headers, path);
      return out.cut(0);
    };
    return { encoder, write };
  };
  const shared: readonly Field[] = [
    [':method', 'POST'],
    ['authorization', 'bearer of a token'],
    ['apns-topic', 'com.example.app'],
  ];

  it('writes shared headers in a byte each from the second time on, and the path first', () => {
    const { write } = setUp();
    const decoder = new HeaderDecoder();
    expect(decoder.decode(write(shared, '/3/device/aa'))).toEqual([[':path', '/3/device/aa'], ...shared]);
    const second = write(shared, '/3/device/bb');
    expect(decoder.decode(second)).toEqual([[':path', '/3/device/bb'], ...shared]);
    expect(second).toHaveLength(2 + '/3/device/bb'.length + shared.length);
  });

  it('tells the peer of a smaller table, and uses no more than that', () => {
    const { encoder, write } = setUp();
    const decoder = new HeaderDecoder();
    encoder.allow(0);
    const [first, second] = [write(shared), write(shared)];
    expect(first[0]).toBe(0b0010_0000);
    expect([decoder.decode(first), decoder.decode(second)]).toEqual([shared, shared]);
    expect(second).toHaveLength(first.length - 1);
  });

  it('tells the peer of the smallest table too when it has changed several times (RFC 7541 §4.2)', () => {
    const { encoder, write } = setUp();
    for (const size of [100, 0, 3000, 30]) encoder.allow(size);
    expect([...write([[':method', 'POST']])]).toEqual([0b0010_0000, 0b0011_1110, 0x83]);
  });

  it('is understood by the decoder whatever it writes, also when the table overflows', () => {
    const name = constantFrom('authorization', 'apns-topic', 'x-a', 'x-b', ':authority', 'content-type');
    const value = string({ unit: constantFrom('a', 'Z', '0', ' ', '~'), maxLength: 700 });
    const headers = array(tuple(name, value), { maxLength: 6 });
    const size = integer({ min: 0, max: 5000 });
    assert(
      property(array(tuple(headers, size), { minLength: 1, maxLength: 30 }), (requests) => {
        const { encoder, write } = setUp();
        const decoder = new HeaderDecoder();
        for (const [fields, limit] of requests) {
          if (limit % 5 === 0) encoder.allow(limit);
          if (limit % 10 === 0) encoder.allow(limit * 2);
          for (const path of ['/a', undefined, '/b']) {
            const expected = path === undefined ? fields : [[':path', path], ...fields];
            expect(decoder.decode(write(fields, path))).toEqual(expected);
          }
        }
      }),
    );
  });
});
