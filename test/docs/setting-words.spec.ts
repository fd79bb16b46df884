import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wordsOf } from '../../apps/console/src/settings/words.js';
import { App } from '../../libs/channels/src/app/app.js';
import { Instance } from '../../libs/push-device/src/instance.js';
import { Comments, optionRows } from '../support/option-rows.js';

const comments = new Comments(join(import.meta.dirname, '../..'), ['libs/channels/src', 'libs/push-device/src']);

/** Fields that the console does not edit, or edits in a dialog. */
const isElsewhere = (path: string): boolean =>
  /^(id|key|secret|keys|secretKey|furtherSecretKeys|secretKeysValidUntil|enabled)\b/.test(path);

/** Edited as one text. */
const isWithin = (path: string): boolean => path.startsWith('fcm.serviceAccount.');

const settings = [App, Instance].flatMap((of) =>
  optionRows(of, comments)
    .map(({ path, meaning }) => ({ path: path.replaceAll('[]', ''), meaning: meaning.replaceAll('`', '') }))
    .filter(({ path }) => !isElsewhere(path) && !isWithin(path)),
);

/** The words up to the first pause. */
const beginning = (text: string): string => /^[^,;:.(]+/.exec(text)?.[0] ?? '';

it('explains each setting on its page', () => {
  expect(settings.length).toBeGreaterThan(50);
  expect(settings.filter(({ path }) => !wordsOf(path).hint).map(({ path }) => path)).toEqual([]);
});

it('explains it there in the words of its option', () => {
  const others = settings.filter(
    ({ path, meaning }) => meaning && beginning(wordsOf(path).hint ?? '') !== beginning(meaning),
  );
  expect(others.map(({ path, meaning }) => [path, wordsOf(path).hint, meaning])).toEqual([]);
});
