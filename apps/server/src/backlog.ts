import type { Server } from 'node:net';

/**
 * How many connections may wait until the server accepts them: as many as the system allows (on Linux, `net.core.somaxconn`,
 * 4096 by default). After an outage, all clients connect within seconds. When the queue is full, the system drops further
 * attempts, and each client repeats its own after 1, 2, 4 … 32 seconds. Node's default is 511.
 */
export const backlog = 65_535;

/** Fastify passes a backlog only with a port. Given an open socket, Node would set its queue back to 511. */
export function withBacklog(server: Server): void {
  const listen = server.listen.bind(server);
  // Fastify calls it with nothing else.
  server.listen = ((where: object) => listen(where, backlog)) as Server['listen'];
}
