// What the signature check alone costs: node:http, no framework, no channels.
import http from 'node:http';
import { isSigned } from './signature.mjs';

http
  .createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const status = isSigned(request.method, request.url, body) && JSON.parse(body.toString()) ? 200 : 401;
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': 2 });
      response.end('{}');
    });
  })
  .listen(Number(process.env.PORT), process.env.HOST);
