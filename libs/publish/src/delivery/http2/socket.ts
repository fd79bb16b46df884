import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls';

/**
 * Connects to the host of `endpoint` and offers HTTP/2; without TLS the peer must expect HTTP/2 (RFC 9113 §3.3).
 *
 * @param through - a socket that a proxy has connected to it
 */
export function openSocket(endpoint: URL, secureContext: SecureContext | undefined, through?: Socket): Socket {
  through?.setNoDelay(true);
  const host = endpoint.hostname.replace(/^\[|\]$/g, '');
  if (endpoint.protocol === 'http:')
    return through ?? connectPlain({ host, port: Number(endpoint.port || 80), noDelay: true });
  const port = Number(endpoint.port || 443);
  const named = isIP(host) ? {} : { servername: host };
  const socket = connectTls({
    host,
    port,
    socket: through,
    ALPNProtocols: ['h2', 'http/1.1'],
    secureContext,
    ...named,
  });
  return socket.setNoDelay(true);
}

/** Calls `opened` once the socket is writable, with whether the peer speaks HTTP/2. */
export function onceOpen(socket: Socket, opened: (speaksHttp2: boolean) => void): void {
  if (socket instanceof TLSSocket) socket.once('secureConnect', () => opened(socket.alpnProtocol === 'h2'));
  else if (!socket.connecting) opened(true);
  else socket.once('connect', () => opened(true));
}
