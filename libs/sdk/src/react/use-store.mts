import { useSyncExternalStore } from 'react';
import type { Store } from '../hooks/index.mjs';

export const useStore = <Value,>({ subscribe, read, initial }: Store<Value>): Value =>
  useSyncExternalStore(subscribe, read, initial);
