import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChannelsLimits, ChannelsSettings } from 'rookery/channels';
import { expect, it } from 'vitest';
import { PublishSettings } from '../../libs/publish/src/publish.options.js';
import { PushDeviceSettings } from '../../libs/push-device/src/push-device.options.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');

interface Row {
  readonly option: string;
  readonly value: number;
}

/** The options of the page's tables, with the numbers that it gives as their defaults. */
const rowsOf = (markdown: string): Row[] =>
  Array.from(markdown.matchAll(/^\| `([\w.[\]]+)` +\| +(\d+|unlimited) \|/gm), ([, option = '', value = '']) => ({
    option,
    value: value === 'unlimited' ? Infinity : Number(value),
  }));

const settings: Readonly<Record<string, object>> = {
  channels: new ChannelsSettings(),
  devices: new PushDeviceSettings(),
  publish: new PublishSettings(),
};

/** The default of an option as the code has it: one without a dot is one of `ChannelsLimits`. */
function inCode(option: string): unknown {
  const path = option.includes('.') ? option.split('.') : ['channels', 'limits', option];
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], settings);
}

// The instances of the configuration have no object of defaults.
const rows = rowsOf(page).filter(({ option }) => !option.startsWith('instances[]'));

it.each(rows)('says that $option is $value, as the code does', ({ option, value }) => {
  expect(inCode(option)).toBe(value);
});

it('has every limit of Channels', () => {
  const named = rows.map(({ option }) => option).filter((option) => !option.includes('.'));
  expect(named.toSorted()).toEqual(Object.keys(new ChannelsLimits()).toSorted());
});

it('would notice a wrong number', () => {
  const [row] = rowsOf('| `publish.deadLetters` | 999 | dead letters of an instance | the oldest are removed |\n');
  expect(row).toEqual({ option: 'publish.deadLetters', value: 999 });
  expect(inCode('publish.deadLetters')).not.toBe(row!.value);
});
