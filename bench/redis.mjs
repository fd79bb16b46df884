import { spawn } from 'node:child_process';
import net from 'node:net';
import { pinTo, usageOf } from './machine.mjs';
import { freePort } from './servers.mjs';

/** A Redis without a disk, on the servers' core. */
export async function startRedis() {
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  pinTo(child.pid, 'server');
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    url: `redis://127.0.0.1:${port}`,
    cpuSeconds: () => usageOf(child.pid).cpuSeconds,
    stop: () => new Promise((resolve) => child.once('exit', resolve).kill('SIGKILL')),
  };
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() && true));
    socket.on('error', () => resolve(false));
  });
