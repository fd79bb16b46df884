import { computed, shallowRef, type ShallowRef } from 'vue';
import type { Store } from '../hooks/index.mjs';
import { whileMounted } from './while-mounted.mjs';

/** A store as a ref; another one follows whenever what `storeNow` reads has changed. */
export function useStore<Value>(storeNow: () => Store<Value>): Readonly<ShallowRef<Value>> {
  const store = computed(storeNow);
  const value = shallowRef(store.value.initial());
  whileMounted(
    () => store.value,
    ({ subscribe, read }) => {
      const show = (): void => void (value.value = read());
      const end = subscribe(show);
      show();
      return end;
    },
  );
  return value;
}
