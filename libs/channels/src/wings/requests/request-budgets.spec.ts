import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { ChannelsMetrics } from '../../metrics.js';
import { RequestBudgets } from './request-budgets.js';

const concurrency = 8;
/** Of a connection. */
const underWay = 2;

const budgetsOf = (own: object = {}): RequestBudgets => {
  const requests = { concurrency, underWay, perSecond: 1000, ...own };
  return new RequestBudgets(settingsOf(ChannelsSettings, { apps: [], requests }), new ChannelsMetrics());
};

const connect = (id: string, network?: string): Connection =>
  ({ app: { id }, slots: undefined, network: network && { name: network } }) as unknown as Connection;

/** How many requests of an app are let in, each from a connection of its own; none ends. */
const hang = (budgets: RequestBudgets, app: string, count: number, network?: string): number =>
  Array.from({ length: count }, () => budgets.begin(connect(app, network), undefined)).filter(Boolean).length;

it('lets an app ask while the methods of another hang for all that it asks', () => {
  const budgets = budgetsOf();
  expect(hang(budgets, 'hanging', 100)).toBe(concurrency);
  const client = connect('other');
  const releases = [1, 2, 3].map(() => budgets.begin(client, 'ann'));
  expect(releases.map((release) => release !== undefined)).toEqual([true, true, false]);
  releases[0]!();
  expect(budgets.begin(client, 'ann')).toBeDefined();
});

it('bounds the requests of all apps together', () => {
  const budgets = budgetsOf();
  const all = Array.from({ length: 100 }, (_, n) => hang(budgets, `app ${n}`, 100));
  expect(all.reduce((sum, each) => sum + each)).toBe(4 * concurrency);
  expect(hang(budgets, 'app 99', 1)).toBe(0);
});

it('counts users and networks of two apps apart, whose names are the same', () => {
  const budgets = budgetsOf({ concurrency: 100 });
  const ask = (app: string): number => {
    const asked = Array.from({ length: 100 }, () => budgets.begin(connect(app, '192.0.2.1'), 'ann'));
    for (const release of asked) release?.();
    return asked.filter(Boolean).length;
  };
  expect(ask('one')).toBe(10);
  expect(ask('other')).toBe(10);
});

it('leaves room in an app for networks that ask for little', () => {
  const budgets = budgetsOf();
  const few = 3;
  expect(hang(budgets, 'app', 100, '192.0.2.1')).toBe(concurrency);
  expect(hang(budgets, 'app', few, '192.0.2.2')).toBe(few);
});
