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
    const texts = string({ unit: 'binary', maxLength: 400 });
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
          if (!halfCharacter.test(text)) expect(piece.text).not.toMatch(halfCharacter);
          said += piece.text;
        }
        expect(said).toBe(text);
      }),
    );
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
    ['answer', '{"stream":"7","at":0,"text":"Hi","end":"soon"}'],
    ['answer', '{"stream":"7","at":0,"text":"Hi"'],
    ['client-answer', '{"stream":"7","at":0,"text":"Hi"}'],
  ])('is not %s with %s', (event, data) => {
    expect(pieceOf(channelEvent(event, 'c', data))).toBeUndefined();
  });

  it.each([
    ['', ''],
    ['a😀', 'a😀'],
    ['a\ud83d', 'a'],
    ['a\ude00', 'a\ude00'],
  ])('of %j has the whole characters %j', (text, whole) => {
    expect(wholeCharacters(text)).toBe(whole);
  });
});
