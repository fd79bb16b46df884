import { request, type Server } from 'node:http';
import { Duplex } from 'node:stream';

/** A request to a process. */
export interface SimulatedRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A process's answer. */
export interface SimulatedResponse {
  readonly status: number;
  readonly body: string;
}

/** One end of a connection within this process. */
class End extends Duplex {
  other: End | undefined;

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.other?.push(bytes);
    done();
  }

  override _final(done: () => void): void {
    this.other?.push(null);
    done();
  }
}

/** Sends a request to a server that need not listen. */
export function requestTo(
  server: Server,
  { method = 'GET', path, headers, body }: SimulatedRequest,
): Promise<SimulatedResponse> {
  const [near, far] = [new End(), new End()];
  [near.other, far.other] = [far, near];
  server.emit('connection', far);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const all = { host: 'simulated', connection: 'close', ...headers, ...length };
    const sent = request({ method, path, headers: all, createConnection: () => near }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
