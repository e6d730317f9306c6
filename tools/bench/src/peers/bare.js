/**
 * The least that a server on Node can cost: node:http and answers that are ready as bytes.
 * Plain JavaScript, like the other peers: a loader for TypeScript would count as their start and their memory.
 *
 * Run as `node bare.js PORT ANSWERS`, ANSWERS being the file of what our server answers. A POST's body is read to its
 * end and not looked at; nothing changes and nothing is written to a disk.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , port, answersFile = ''] = process.argv;

/** @type {import('../answers.ts').RecordedAnswer[]} */
const answers = JSON.parse(readFileSync(answersFile, 'utf8'));
const ready = new Map(
  answers.map((answer) => [`${answer.request.method} ${answer.request.path}`, readyAnswer(answer)]),
);
const unknown = { status: 404, headers: { 'content-length': 0 }, bytes: Buffer.alloc(0) };

/** @param {import('../answers.ts').RecordedAnswer} answer */
function readyAnswer({ status, contentType, cacheControl, body }) {
  const bytes = Buffer.from(body);
  const described = contentType === undefined ? {} : { 'content-type': contentType, 'content-length': bytes.length };
  const kept = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  return { status, headers: { ...described, ...kept }, bytes };
}

const server = createServer((request, response) => {
  const { status, headers, bytes } = ready.get(`${request.method} ${request.url}`) ?? unknown;
  const answer = () => response.writeHead(status, headers).end(bytes);
  if (request.method === 'GET') {
    answer();
    return;
  }
  request.on('end', answer);
  request.resume();
});

server.listen(Number(port), '127.0.0.1');
