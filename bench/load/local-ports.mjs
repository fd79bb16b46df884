/** A loopback address has about 28,000 ports for connections to one server. */
export const perAddress = 20_000;
const firstPort = 10_000;

/**
 * The address and port of the nth socket of many. They are chosen here because the system would search for a free port
 * among those taken: for 10,000 sockets, that took the load client 6 s of CPU time.
 */
export const localPort = (n) => ({
  localAddress: `127.0.0.${2 + Math.floor(n / perAddress)}`,
  localPort: firstPort + (n % perAddress),
});
