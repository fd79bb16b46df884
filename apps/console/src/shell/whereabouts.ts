import { computed, signal } from '@preact/signals';
import { useLocation } from 'wouter-preact';
import { nameOf, pathOf } from '../api/ask.js';
import type { Overview } from '../api/contract.js';

/** What the server serves; asked again and again by the shell. */
export const overview = signal<Overview | undefined>(undefined);

const lastApp = signal(localStorage.getItem('rookery-app'));
const lastInstance = signal(localStorage.getItem('rookery-instance'));

const app = computed(() => chosen(lastApp.value, overview.value?.apps));
const instance = computed(() => chosen(lastInstance.value, overview.value?.instances));

/** The app and the instance that are looked at: those of the address, or else the last ones, or the first. */
export function useWhereabouts() {
  const [location, go] = useLocation();
  const [, column, id = '', place = ''] = location.split('/');
  const named = nameOf(id);
  if (column === 'apps' && named !== lastApp.peek()) keep('rookery-app', lastApp, named);
  if (column === 'instances' && named !== lastInstance.peek()) keep('rookery-instance', lastInstance, named);
  return {
    app: column === 'apps' ? named : app.value,
    instance: column === 'instances' ? named : instance.value,
    column,
    place: column === 'apps' || column === 'instances' ? place : (column ?? ''),
    go,
  };
}

export const appPath = (app: string, place: string): string => `/${pathOf('apps', app)}/${place}`;
export const instancePath = (instance: string, place: string): string => `/${pathOf('instances', instance)}/${place}`;

function keep(name: string, last: typeof lastApp, id: string): void {
  last.value = id;
  localStorage.setItem(name, id);
}

const chosen = (last: string | null, all: readonly { readonly id: string }[] | undefined): string | undefined =>
  all?.find(({ id }) => id === last)?.id ?? all?.[0]?.id;
