import { computed, signal } from '@preact/signals';
import { useLocation, useSearch } from 'wouter-preact';
import { nameOf, pathOf } from '../api/ask.js';
import type { Overview } from '../api/contract.js';

/** The apps and instances that the server serves; the shell refreshes it regularly. */
export const overview = signal<Overview | undefined>(undefined);

const lastApp = signal(localStorage.getItem('rookery-app'));
const lastInstance = signal(localStorage.getItem('rookery-instance'));

const app = computed(() => chosen(lastApp.value, overview.value?.apps));
const instance = computed(() => chosen(lastInstance.value, overview.value?.instances));

/** The current app and instance: from the address, otherwise the last ones used, otherwise the first. */
export function useWhereabouts() {
  const [location, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const [, column, id = '', place = ''] = location.split('/');
  // The settings name what they show in their query.
  const kind = column === 'settings' && search.get('id') ? (search.get('kind') ?? 'apps') : column;
  const named = column === 'settings' ? (search.get('id') ?? '') : nameOf(id);
  if (kind === 'apps' && named !== lastApp.peek()) keep('rookery-app', lastApp, named);
  if (kind === 'instances' && named !== lastInstance.peek()) keep('rookery-instance', lastInstance, named);
  return {
    app: kind === 'apps' ? named : app.value,
    instance: kind === 'instances' ? named : instance.value,
    column,
    place: column === 'apps' || column === 'instances' ? place : (column ?? ''),
    go,
  };
}

export const appPath = (app: string, place: string): string => `/${pathOf('apps', app)}/${place}`;
export const instancePath = (instance: string, place: string): string => `/${pathOf('instances', instance)}/${place}`;

/** The path of a page of the instance; without one, of the "no instance" page. */
export const pushPath = (instance: string | undefined, place: string): string =>
  instance ? instancePath(instance, place) : '/push';

/** `host:pid`, the name of a process on every page; its id while the overview is not loaded, or after it has ended. */
export function processName(id: string): string {
  const found = overview.value?.nodes.find((each) => each.id === id);
  return found ? `${found.host}:${found.pid}` : id;
}

function keep(name: string, last: typeof lastApp, id: string): void {
  last.value = id;
  localStorage.setItem(name, id);
}

const chosen = (last: string | null, all: readonly { readonly id: string }[] | undefined): string | undefined =>
  all?.find(({ id }) => id === last)?.id ?? all?.[0]?.id;
