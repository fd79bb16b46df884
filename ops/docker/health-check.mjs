// Exits with 0 if the server of this container is alive. Its certificate is not checked, because it names another host.
import http from 'node:http';
import https from 'node:https';

const { HOST: host = '127.0.0.1', PORT: port = '6001', TLS_CERT_FILE: certificate } = process.env;
const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const where = host.startsWith('/') ? { socketPath: host } : { host: loopback[host] ?? host, port };
const end = (isAlive) => process.exit(isAlive ? 0 : 1);

(certificate ? https : http)
  .get({ ...where, path: '/health/live', rejectUnauthorized: false, timeout: 2500 }, ({ statusCode }) =>
    end(statusCode === 200),
  )
  .on('timeout', () => end(false))
  .on('error', () => end(false));
