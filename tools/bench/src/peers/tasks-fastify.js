/**
 * A typical handwritten server with Fastify: JSON Schemas for requests and responses, and the tasks in a map.
 *
 * Usage: `node tasks-fastify.js PORT DATA [LOG]`. DATA is a JSON file with tasks. With LOG, the server appends each change to this file and calls fdatasync
 * before it responds; the changes that arrive at the same time share one call.
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';

const [, , port, dataFile = '', logFile] = process.argv;

/** @typedef {{ id: number, [name: string]: unknown }} Task */
/** @type {Map<number, Task>} */
const tasks = new Map(
  JSON.parse(readFileSync(dataFile, 'utf8')).tasks.map((/** @type {Task} */ task) => [task.id, task]),
);
let lastId = Math.max(0, ...[...tasks.keys()].slice(-1));

const log = logFile === undefined ? undefined : await open(logFile, 'a');
/** @type {{ text: string, resolve: () => void }[]} */
let waiting = [];
let isWriting = false;

/**
 * Resolves when a change is stored.
 * @param {unknown} change
 */
async function store(change) {
  if (!log) return;
  await new Promise((resolve) => {
    waiting.push({ text: `${JSON.stringify(change)}\n`, resolve: () => resolve(undefined) });
    if (!isWriting) void writeAll();
  });
}

async function writeAll() {
  isWriting = true;
  while (waiting.length > 0) {
    await setImmediate();
    const batch = waiting;
    waiting = [];
    await log?.write(batch.map(({ text }) => text).join(''));
    await log?.datasync();
    for (const { resolve } of batch) resolve();
  }
  isWriting = false;
}

const text = { type: 'string' };
const properties = {
  title: { type: 'string', minLength: 1, maxLength: 200 },
  status: { type: 'string', enum: ['open', 'done', 'blocked'] },
  priority: { type: 'integer', minimum: 1, maximum: 5 },
  assignee: text,
  dueDate: { type: 'string', format: 'date' },
};
const task = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...properties } };
const newTask = { type: 'object', required: ['title'], properties };
const params = { type: 'object', properties: { taskId: { type: 'integer' } } };
const querystring = {
  type: 'object',
  properties: {
    status: text,
    sort: text,
    limit: { type: 'integer', default: 20 },
    offset: { type: 'integer', default: 0 },
  },
};
const hour = { type: 'object', properties: { hour: { type: 'integer' }, celsius: { type: 'number' } } };
const forecast = {
  type: 'object',
  properties: {
    city: text,
    day: text,
    celsius: { type: 'number' },
    rain: { type: 'boolean' },
    hours: { type: 'array', items: hour },
  },
};

const app = Fastify({ ajv: { customOptions: { allErrors: true } } });

/** @param {import('fastify').FastifyReply} reply */
function sendNotFound(reply) {
  return reply.code(404).send({ message: 'there is no such task' });
}

app.get('/tasks', { schema: { querystring, response: { 200: { type: 'array', items: task } } } }, async (request) => {
  const { status, sort, limit, offset } =
    /** @type {{ status?: string, sort?: string, limit: number, offset: number }} */ (request.query);
  const found = [...tasks.values()].filter((one) => status === undefined || one.status === status);
  if (sort !== undefined) {
    const key = sort.replace('-', '');
    const sign = sort.startsWith('-') ? -1 : 1;
    const compare = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -sign : a > b ? sign : 0);
    found.sort((a, b) => compare(a[key], b[key]));
  }
  return found.slice(offset, offset + limit);
});
app.post('/tasks', { schema: { body: newTask, response: { 201: task } } }, async (request, reply) => {
  lastId += 1;
  const created = { id: lastId, .../** @type {object} */ (request.body) };
  tasks.set(created.id, created);
  await store(created);
  return reply.code(201).send(created);
});

/** @param {import('fastify').FastifyRequest} request */
const getId = (request) => /** @type {{ taskId: number }} */ (request.params).taskId;

app.get('/tasks/:taskId', { schema: { params, response: { 200: task } } }, async (request, reply) => {
  return tasks.get(getId(request)) ?? sendNotFound(reply);
});
app.put('/tasks/:taskId', { schema: { params, body: newTask, response: { 200: task } } }, async (request, reply) => {
  if (!tasks.has(getId(request))) return sendNotFound(reply);
  return change({ id: getId(request), .../** @type {object} */ (request.body) });
});
app.patch(
  '/tasks/:taskId',
  { schema: { params, body: { type: 'object', properties }, response: { 200: task } } },
  async (request, reply) => {
    const old = tasks.get(getId(request));
    return old ? change({ ...old, .../** @type {object} */ (request.body) }) : sendNotFound(reply);
  },
);
app.delete('/tasks/:taskId', { schema: { params } }, async (request, reply) => {
  if (!tasks.delete(getId(request))) return sendNotFound(reply);
  await store({ id: getId(request), isDeleted: true });
  return reply.code(204).send();
});
app.post('/forecasts/:city/simulation', { schema: { response: { 200: forecast } } }, async (request) => {
  const { city } = /** @type {{ city: string }} */ (request.params);
  const hours = [1, 2, 3].map((one) => ({ hour: one, celsius: 10 + one }));
  return { city, day: '2026-11-28', celsius: 12.5, rain: false, hours };
});

/** @param {Task} changed */
async function change(changed) {
  tasks.set(changed.id, changed);
  await store(changed);
  return changed;
}

await app.listen({ port: Number(port), host: '127.0.0.1' });
