import type { RpcLink } from './rpc-link.js';

/** How each method of a port is done: by a call of the method with its name, or in a way of its own. */
type Methods<Port> = { readonly [Name in keyof Port]: 'call' | ((link: RpcLink) => Port[Name]) };

/**
 * A class that implements a port by calls to the service of that name in the process at the other end of a link.
 *
 * Arguments travel as JSON, which has neither `Infinity` nor `undefined`: an infinite limit becomes the largest integer, and
 * arguments left out at the end stay left out.
 */
export function remotePort<Port extends object>(
  Port: abstract new () => Port,
  service: string,
  methods: Methods<Port>,
): new (link: RpcLink) => Port {
  // The compiler does not see that the constructor defines the abstract methods.
  const Base = Port as unknown as new () => object;
  const name = `Remote${Port.name}`;
  const classes = {
    [name]: class extends Base {
      constructor(link: RpcLink) {
        super();
        for (const [method, own] of Object.entries<'call' | ((link: RpcLink) => unknown)>(methods))
          Object.defineProperty(this, method, {
            value:
              own === 'call' ? (...args: readonly unknown[]) => link.call(service, method, asJson(args)) : own(link),
          });
      }
    },
  };
  return classes[name] as unknown as new (link: RpcLink) => Port;
}

function asJson(args: readonly unknown[]): readonly unknown[] {
  let { length } = args;
  while (length > 0 && args[length - 1] === undefined) length -= 1;
  return args.slice(0, length).map((arg) => (arg === Infinity ? Number.MAX_SAFE_INTEGER : arg));
}
