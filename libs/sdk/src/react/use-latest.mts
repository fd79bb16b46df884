import { type RefObject, useEffect, useRef } from 'react';

/** A function of the latest rendering, for callbacks that stay bound. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
