import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pinTo, raiseOpenFiles } from '../machine.mjs';

const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url));

/** A load client: a worker process, driven by its methods' names. */
export class Client {
  /** Called when the measured time begins (`true`) and ends (`false`). */
  onMeasuring = () => {};
  waiting = new Map();
  nextId = 0;

  constructor() {
    this.process = fork(worker);
    pinTo(this.process.pid, 'client');
    raiseOpenFiles(this.process.pid);
    this.process.on('message', (message) => {
      if (message.measuring !== undefined) return this.onMeasuring(message.measuring);
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error));
    });
    this.process.on('exit', (code) => {
      for (const { reject } of this.waiting.values()) reject(new Error(`the load client ended with ${code}`));
    });
  }

  ask(command, options = {}) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.process.send({ id, command, ...options });
    });
  }

  /** Like `ask`, for a command with a measured time in it; adds the server's CPU share over that time. */
  async measure(server, command, options) {
    let from;
    let to;
    this.onMeasuring = (begins) => {
      if (begins) from = server.sample();
      else to = server.sample();
    };
    const result = await this.ask(command, options);
    return { ...result, ...server.between(from, to) };
  }

  stop() {
    this.process.disconnect();
  }
}
