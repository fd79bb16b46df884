import { expect, it } from 'vitest';
import { SharedTexts } from './shared-text.js';
import type { Encoding } from './transport.js';

function counting(): Encoding & { readonly encodings: string[] } {
  const encodings: string[] = [];
  const encodeShared = (text: string) => (encodings.push(text), Buffer.from(text));
  return { encodings, encode: encodeShared, encodeShared, ping: Buffer.alloc(0) };
}

it('encodes a text once for each kind of transport', () => {
  const [web, http] = [counting(), counting()];
  const text = new SharedTexts().of('hello');
  for (let clients = 0; clients < 10; clients++) for (const each of [web, http]) text.bytes(each);
  expect([web.encodings, http.encodings]).toEqual([['hello'], ['hello']]);
});

it('keeps no more bytes than it has room for: the oldest are encoded again', () => {
  const web = counting();
  const texts = new SharedTexts(10);
  const [first, second, third] = ['first', 'other', 'third'].map((each) => texts.of(each));
  for (const each of [first, second, third, third, second, first]) expect(each!.bytes(web).toString()).toBe(each!.text);
  expect(web.encodings).toEqual(['first', 'other', 'third', 'first']);
});

it('gives back the room of a text that is forgotten', () => {
  const web = counting();
  const texts = new SharedTexts(10);
  const [first, second, third] = ['first', 'other', 'third'].map((each) => texts.of(each));
  for (const each of [first, second]) each!.bytes(web);
  first!.forget();
  for (const each of [third, second, third]) each!.bytes(web);
  expect(web.encodings).toEqual(['first', 'other', 'third']);
});
