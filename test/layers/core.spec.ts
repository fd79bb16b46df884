import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../libs/channels/src');

/** Words of the features in `wings/`. */
const features = /stream|session|cached?\b|mirror|acknowledg|console|trace/i;

const linesNamingFeatures = (text: string): readonly string[] => text.split('\n').filter((line) => features.test(line));

it.each([
  ['the hub', 'hub', 'hub.ts'],
  ['what is framed', 'frames', 'frame.ts'],
  ['the way of a subscription', 'subscriptions', 'channel-entry.ts'],
])('%s names none of the features that plug into it', (_, folder, central) => {
  const files = readdirSync(join(source, folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  expect(files).toContain(central);
  const found = files.flatMap((name) => linesNamingFeatures(readFileSync(join(source, folder, name), 'utf8')));
  expect(found).toEqual([]);
});

it('finds a feature that is named there', () => {
  const planted = "import { Hub } from './hub.js';\nconnection.session?.wasSent(channel);\n";
  expect(linesNamingFeatures(planted)).toEqual(['connection.session?.wasSent(channel);']);
});
