import realProcess from 'node:process';
import { PassThrough } from 'node:stream';
import { setImmediate as printed } from 'node:timers/promises';
import { vi } from 'vitest';
import { quietExperiments } from '../../apps/cli/src/process-events.js';
import { run } from '../../apps/cli/src/run.js';

// As the command's own process: Node 22 warns on stderr of the first database that a process opens.
quietExperiments();

/** How a typed command ended, and what it printed; `shown` is all of it. */
export interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly shown: string;
}

/**
 * Runs a command line in this process; unstub globals afterwards.
 * @param answer of a person on a terminal to the question that it asks; without it, there is no terminal
 */
export async function typed(args: readonly string[], answer?: string): Promise<Typed> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const isTTY = answer !== undefined;
  const said = { stdout: '', stderr: '', shown: '' };
  let isAnswered = false;
  for (const [name, stream] of Object.entries({ stdout, stderr }))
    stream.on('data', (text: Buffer) => {
      said[name as 'stdout' | 'stderr'] += String(text);
      said.shown += String(text);
      if (!isAnswered && /(\[y\/N\]|to go on): $/.test(said.shown)) {
        isAnswered = true;
        stdin.write(`${answer}\n`);
      }
    });
  const own: Record<string, unknown> = {
    stdin: Object.assign(stdin, { isTTY }),
    stdout: Object.assign(stdout, { isTTY }),
    stderr,
    // A command's failure is not one of the test run.
    exitCode: undefined,
  };
  const seen = new Proxy(realProcess, {
    get: (target, name: string) => (name in own ? own[name] : Reflect.get(target, name)),
    set: (target, name: string, value) => Reflect.set(name in own ? own : target, name, value),
  });
  vi.stubGlobal('process', seen);
  // Commander has its own reference to the process.
  const ofCommander = vi.spyOn(realProcess.stderr, 'write').mockImplementation((text) => stderr.write(text));
  try {
    const code = await run(args);
    await printed();
    return { code, ...said };
  } finally {
    ofCommander.mockRestore();
  }
}
