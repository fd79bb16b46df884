// The same on Express, with its parser for raw bodies.
import express from 'express';
import { isSigned } from './signature.mjs';

const app = express();
app.use(express.raw({ type: 'application/json' }));
app.post('/apps/:id/:what', (request, response) => {
  if (!isSigned(request.method, request.url, request.body)) return response.status(401).json({});
  JSON.parse(request.body.toString());
  return response.json({});
});
app.listen(Number(process.env.PORT), process.env.HOST);
