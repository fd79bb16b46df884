import { expect, it } from 'vitest';
import type { Connection } from './connection.js';
import { Slot } from './slot.js';

const [first, second] = [new Slot<string>(), new Slot<number>()];

it('keeps what each feature has with a connection apart', () => {
  const [one, other]: Pick<Connection, 'slots'>[] = [{ slots: undefined }, { slots: undefined }];
  expect([first.set(one!, 'a'), second.set(one!, 1), first.set(other!, 'b')]).toEqual(['a', 1, 'b']);
  expect([first.of(one!), second.of(one!), first.of(other!), second.of(other!)]).toEqual(['a', 1, 'b', undefined]);
  first.clear(one!);
  expect([first.of(one!), second.of(one!)]).toEqual([undefined, 1]);
});

it('takes no room in connections without anything', () => {
  const idle: Pick<Connection, 'slots'> = { slots: undefined };
  first.clear(idle);
  expect([first.of(idle), idle.slots]).toEqual([undefined, undefined]);
});
