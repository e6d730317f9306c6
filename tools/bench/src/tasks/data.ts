import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The contract of the tasks. */
export const CONTRACT = fileURLToPath(new URL('./contract.yaml', import.meta.url));

const STATUSES = ['open', 'done', 'blocked'];

/** Returns the task with an id. */
function createTask(id: number) {
  return {
    id,
    title: `Task number ${id} of the list`,
    status: STATUSES[id % STATUSES.length],
    priority: 1 + ((id * 7) % 5),
    assignee: `user${(id * 31) % 97}@example.com`,
    dueDate: `2026-${String(1 + (id % 12)).padStart(2, '0')}-${String(1 + ((id * 11) % 28)).padStart(2, '0')}`,
  };
}

/** Writes a JSON file with tasks, whose ids begin with 1. Returns its path. */
export function writeTasks(folder: string, count: number): string {
  const file = join(folder, `tasks-${count}.json`);
  writeFileSync(file, JSON.stringify({ tasks: Array.from({ length: count }, (_, index) => createTask(index + 1)) }));
  return file;
}

/** Writes a contract with many operations on different resources. Returns its path. */
export function writeLargeContract(folder: string, operations: number): string {
  const file = join(folder, `contract-${operations}.json`);
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  const json = (schema: unknown) => ({ 'application/json': { schema } });
  for (let index = 0; index < operations / 5; index += 1) {
    const entry = { $ref: `#/components/schemas/Thing${index}` };
    schemas[`Thing${index}`] = {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'integer', readOnly: true },
        name: { type: 'string', minLength: 1, maxLength: 80 },
        state: { type: 'string', enum: ['new', 'active', 'archived'] },
        size: { type: 'number', minimum: 0 },
        createdAt: { type: 'string', format: 'date-time', readOnly: true },
        tags: { type: 'array', items: { type: 'string' } },
        owner: { type: 'object', properties: { name: { type: 'string' }, email: { type: 'string', format: 'email' } } },
      },
    };
    const respond = (status: string, schema?: unknown) => ({
      [status]: { description: 'The result.', ...(schema ? { content: json(schema) } : {}) },
    });
    const requestBody = { required: true, content: json(entry) };
    const parameters = [{ name: 'thingId', in: 'path', required: true, schema: { type: 'integer' } }];
    const query = [
      { name: 'state', in: 'query', schema: { type: 'string' } },
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
    ];
    paths[`/things${index}`] = {
      get: {
        operationId: `list${index}`,
        parameters: query,
        responses: respond('200', { type: 'array', items: entry }),
      },
      post: { operationId: `create${index}`, requestBody, responses: respond('201', entry) },
    };
    paths[`/things${index}/{thingId}`] = {
      parameters,
      get: { operationId: `get${index}`, responses: respond('200', entry) },
      put: { operationId: `replace${index}`, requestBody, responses: respond('200', entry) },
      delete: { operationId: `delete${index}`, responses: respond('204') },
    };
  }
  const info = { title: 'Many operations', version: '1.0.0' };
  writeFileSync(file, JSON.stringify({ openapi: '3.0.3', info, paths, components: { schemas } }));
  return file;
}
