/** Scalar's mock server. Usage: `node tasks-scalar.js PORT CONTRACT`. */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMockServer } from '@scalar/mock-server';

const [, , port, contract = ''] = process.argv;
const app = await createMockServer({ specification: readFileSync(contract, 'utf8') });
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
