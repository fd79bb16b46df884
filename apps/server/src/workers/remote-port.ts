import type { LinkService, RpcLink } from './rpc-link.js';

/** How each method of a port is done: by a call of the served method with its name, or in a way of its own. */
type Methods<Port, Served> = {
  readonly [Name in keyof Port]: Callable<Port[Name], Served, Name> | ((link: RpcLink) => Port[Name]);
};

type Callable<Method, Served, Name> = Name extends keyof Served
  ? Served[Name] extends Method
    ? 'call'
    : never
  : never;

/** A class that implements a port remotely. */
export interface RemotePort<Port extends object> {
  readonly port: abstract new () => Port;
  /** What the other process serves. */
  readonly service: LinkService<object>;
  /** Always in the memory of the process that started the workers, made anew there; undefined for other ports. */
  readonly InMemory: (new () => object) | undefined;
  new (link: RpcLink): Port;
}

/**
 * A class that implements a port by calls to a service of the process at the other end of a link.
 *
 * Arguments travel as JSON, which has neither `Infinity` nor `undefined`: an infinite limit becomes the largest integer, and
 * arguments left out at the end stay left out.
 */
export function remotePort<Port extends object, Served extends object>(
  Port: abstract new () => Port,
  service: LinkService<Served>,
  methods: Methods<Port, Served>,
  InMemory?: new () => Served,
): RemotePort<Port> {
  // The compiler does not see that the constructor defines the abstract methods.
  const Base = Port as unknown as new () => object;
  const name = `Remote${Port.name}`;
  const classes = {
    [name]: class extends Base {
      static readonly port = Port;
      static readonly service = service;
      static readonly InMemory = InMemory;

      constructor(link: RpcLink) {
        super();
        for (const [method, own] of Object.entries<'call' | ((link: RpcLink) => unknown)>(methods))
          Object.defineProperty(this, method, {
            value:
              own === 'call'
                ? (...args: readonly unknown[]) => link.request(service.name, method, asJson(args))
                : own(link),
          });
      }
    },
  };
  return classes[name] as unknown as RemotePort<Port>;
}

function asJson(args: readonly unknown[]): readonly unknown[] {
  let { length } = args;
  while (length > 0 && args[length - 1] === undefined) length -= 1;
  return args.slice(0, length).map((arg) => (arg === Infinity ? Number.MAX_SAFE_INTEGER : arg));
}
