/** Runs in place of a port's method: `answer()` is what the port itself would answer. */
type Around = (answer: () => unknown, ...args: any[]) => unknown;

/** A port whose methods a test can hold up or make fail, such as `ledger.around.members = async (answer) => …`. */
export type Awkward<T extends object> = T & { readonly around: Partial<Record<keyof T, Around>> };

export function awkward<T extends object>(port: T): Awkward<T> {
  const around: Partial<Record<PropertyKey, Around>> = {};
  return new Proxy(port, {
    get(target, name) {
      if (name === 'around') return around;
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer = (): unknown => Reflect.apply(value, target, args);
        return around[name] ? around[name](answer, ...args) : answer();
      };
    },
  }) as Awkward<T>;
}

/** What the port answers, but not before the gate is opened. `reached` settles when the first call waits at it. */
export function gate(): { readonly around: Around; readonly reached: Promise<void>; open(): void } {
  let reach = (): void => {};
  let open = (): void => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const around: Around = async (answer) => {
    const answered = await answer();
    reach();
    await opened;
    return answered;
  };
  return { around, reached, open: () => open() };
}
