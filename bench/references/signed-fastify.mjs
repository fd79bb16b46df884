// The same on Fastify, which the server stands on.
import fastify from 'fastify';
import { isSigned } from './signature.mjs';

const server = fastify();
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
server.post('/apps/:id/:what', (request, reply) => {
  if (!isSigned(request.method, request.url, request.body)) return reply.code(401).send({});
  JSON.parse(request.body.toString());
  return {};
});
await server.listen({ port: Number(process.env.PORT), host: process.env.HOST });
