import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const hub = resolve(import.meta.dirname, '../../libs/channels/src/hub');

/** Words of the features that follow channels from `wings/`. */
const features = /stream|session|cache|mirror|acknowledg|console|trace/i;

const linesNamingFeatures = (text: string): readonly string[] => text.split('\n').filter((line) => features.test(line));

it('the hub names none of the features that follow its channels', () => {
  const files = readdirSync(hub).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  expect(files).toContain('hub.ts');
  const found = files.flatMap((name) => linesNamingFeatures(readFileSync(join(hub, name), 'utf8')));
  expect(found).toEqual([]);
});

it('finds a feature that is named there', () => {
  const planted = "import { Hub } from './hub.js';\nconnection.session?.wasSent(channel);\n";
  expect(linesNamingFeatures(planted)).toEqual(['connection.session?.wasSent(channel);']);
});
