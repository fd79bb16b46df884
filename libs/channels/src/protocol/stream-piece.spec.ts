import { assert, integer, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelEvent } from './frames.js';
import { pieceOf, piecesOf, type StreamPiece, wholeCharacters } from './stream-piece.js';

const halfCharacter = /\p{Surrogate}/u;
const read = (data: string) => JSON.parse(data) as StreamPiece;

describe('a piece of a stream', () => {
  it('is the data of one event if it fits', () => {
    expect(piecesOf({ stream: '7', at: 3, text: 'Hi' }, 10_240)).toEqual(['{"stream":"7","at":3,"text":"Hi"}']);
    expect(piecesOf({ stream: '7', at: 0, text: '', end: 'error', message: 'No "model"' }, 10_240)).toEqual([
      '{"stream":"7","at":0,"text":"","end":"error","message":"No \\"model\\""}',
    ]);
  });

  it('becomes events within the limit, of whole characters, that together are the text', () => {
    // Otherwise most have ten characters, which need no cut.
    const texts = string({ unit: 'binary', maxLength: 400, size: 'max' });
    assert(
      property(texts, nat(5000), integer({ min: 110, max: 400 }), (text, at, bytes) => {
        const pieces = piecesOf({ stream: 'é', at, text, end: 'done' }, bytes).map((data) => {
          expect(Buffer.byteLength(data)).toBeLessThanOrEqual(bytes);
          return read(data);
        });
        let said = '';
        for (const [i, piece] of pieces.entries()) {
          expect(piece.at).toBe(at + said.length);
          expect(piece.end).toBe(i === pieces.length - 1 ? 'done' : undefined);
          expect(halfCharacter.test(text) ? '' : piece.text).not.toMatch(halfCharacter);
          said += piece.text;
        }
        expect(said).toBe(text);
      }),
    );
  });

  // The text comes after `{"stream":"7","at":0,"text":"`, and three digits are kept for its place: 87 bytes are left.
  it.each([
    [' ', 87],
    ['\x7f', 87],
    ['"', 43],
    ['\\', 43],
    ['\x80', 43],
    ['\u07ff', 43],
    ['\u0800', 29],
    ['\ud7ff', 29],
    ['\ue000', 29],
    ['\uffff', 29],
    ['😀', 21],
    ['\x1f', 14],
    ['\ud800', 14],
    ['\udfff', 14],
  ])('of many %j has %i of them in 120 bytes', (character, count) => {
    const pieces = piecesOf({ stream: '7', at: 0, text: character.repeat(100) }, 120).map(read);
    expect(pieces[0]!.text).toBe(character.repeat(count));
    expect(pieces.map(({ text }) => text).join('')).toBe(character.repeat(100));
  });

  it('has at least one character, and only the last says how the stream ended', () => {
    const pieces = piecesOf({ stream: '7', at: 5, text: '😀ab', end: 'error', message: 'No' }, 10).map(read);
    expect(pieces).toStrictEqual([
      { stream: '7', at: 5, text: '😀' },
      { stream: '7', at: 7, text: 'a' },
      { stream: '7', at: 8, text: 'b', end: 'error', message: 'No' },
    ]);
  });

  it('has room for its end and message within the limit', () => {
    const message = 'é'.repeat(40);
    const pieces = piecesOf({ stream: '7', at: 0, text: 'a'.repeat(300), end: 'error', message }, 200);
    expect(pieces.filter((data) => Buffer.byteLength(data) > 200)).toEqual([]);
    expect(pieces.map((data) => read(data).text).join('')).toBe('a'.repeat(300));
  });

  it.each(['done', 'error', 'timeout'])('is found with its end: %s', (end) => {
    const data = JSON.stringify({ stream: 'x'.repeat(200), at: 0, text: '', end, message: 'Hi' });
    const found = { event: 'answer', stream: 'x'.repeat(200), at: 0, text: '', end, message: 'Hi' };
    expect(pieceOf(channelEvent('answer', 'c', data))).toEqual(found);
  });

  it('is found in an event as clients receive it, whatever its name', () => {
    const [data] = piecesOf({ stream: '"7"', at: 0, text: 'Hi,"data":"' }, 10_240);
    const piece = { stream: '"7"', at: 0, text: 'Hi,"data":"' };
    for (const event of ['answer', 'a,"data":"{\\"stream\\":\\"'])
      expect(pieceOf(channelEvent(event, 'c', data!))).toEqual({ event, ...piece });
  });

  it.each([
    ['answer', 'Hi'],
    ['answer', '{"text":"Hi"}'],
    ['answer', '{"stream":"","at":0,"text":"Hi"}'],
    ['answer', '{"stream":"7","at":-1,"text":"Hi"}'],
    ['answer', '{"stream":"7","at":0.5,"text":"Hi"}'],
    ['answer', '{"stream":"7","at":0}'],
    ['answer', '{"stream":"7","at":"0","text":"Hi"}'],
    ['answer', '{"stream":"7","at":0,"text":7}'],
    ['answer', '{"stream":"7","at":0,"text":"Hi","end":"error","message":7}'],
    ['answer', `{"stream":"${'x'.repeat(201)}","at":0,"text":"Hi"}`],
    ['answer', '{"stream":"7","at":0,"text":"Hi","end":"soon"}'],
    ['answer', '{"stream":"7","at":0,"text":"Hi"'],
    ['client-answer', '{"stream":"7","at":0,"text":"Hi"}'],
  ])('is not %s with %s', (event, data) => {
    expect(pieceOf(channelEvent(event, 'c', data))).toBeUndefined();
  });

  it.each([
    ['', ''],
    ['a😀', 'a😀'],
    ['ab\ud83d', 'ab'],
    ['a\ud800', 'a'],
    ['a\udbff', 'a'],
    ['a\ud7ff', 'a\ud7ff'],
    ['a\udc00', 'a\udc00'],
    ['a\ude00', 'a\ude00'],
  ])('of %j has the whole characters %j', (text, whole) => {
    expect(wholeCharacters(text)).toBe(whole);
  });
});
