/**
 * How many connections may wait until the server accepts them: as many as the system allows (on Linux, `net.core.somaxconn`,
 * 4096 by default). After an outage, all clients connect within seconds. When the queue is full, the system drops further
 * attempts, and each client repeats its own after 1, 2, 4 … 32 seconds. Node's default is 511.
 */
export const queueLength = 65_535;
