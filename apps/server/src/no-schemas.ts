/** Where one is needed after all, this option goes out of `server.ts`. */
function refuse(): never {
  throw new Error('The server runs without a compiler of schemas, but a route asks Fastify for one');
}

/** Fastify loads a validator and a serializer compiler of JSON schemas, a hundred modules. No route of the server has a schema. */
export const noSchemas = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } };
