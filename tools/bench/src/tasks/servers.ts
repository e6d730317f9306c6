import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contestant } from '../contestants.ts';
import type { ShopRequest } from '../requests.ts';
import { CONTRACT } from './data.ts';

/** A task that exists in every server at its start. */
const READY: ShopRequest = { name: 'GET /tasks/1', method: 'GET', path: '/tasks/1', status: 200 };

/** Options of a server with tasks. `data`: the JSON file with the tasks at the start. */
interface TaskOptions {
  readonly name: string;
  readonly data: string;
}

/** Our server. It stores each change durably before it responds, unless `isInMemory` is true. */
export function ours(
  serverFile: string,
  { name, data, isInMemory = false }: TaskOptions & { readonly isInMemory?: boolean },
): Contestant {
  return {
    name,
    ready: READY,
    prepare: (port, folder) => [
      ...[serverFile, '--contract', CONTRACT, '--default-data', data, '--data', join(folder, 'db.json')],
      ...['--port', String(port), '--durability', isInMemory ? 'memory' : 'disk', '--log', 'off'],
    ],
  };
}

/** Our server for another contract, with the path that it responds to when it is ready. */
export function oursFor(serverFile: string, contract: string, path: string): Contestant {
  return {
    name: 'ours',
    ready: { ...READY, path },
    prepare: (port, folder) => [
      ...[serverFile, '--contract', contract, '--data', join(folder, 'db.json')],
      ...['--port', String(port), '--log', 'off'],
    ],
  };
}

/** A server with only `node:http`, in memory. */
export function bare({ name, data }: TaskOptions): Contestant {
  return { name, ready: READY, prepare: (port) => [peer('tasks-bare.js'), String(port), data] };
}

/** A handwritten server with Fastify. With `isDurable`, it appends each change to a file, and calls fdatasync. */
export function fastify({ name, data, isDurable = false }: TaskOptions & { readonly isDurable?: boolean }): Contestant {
  const prepare = (port: number, folder: string) => [
    ...[peer('tasks-fastify.js'), String(port), data],
    ...(isDurable ? [join(folder, 'log')] : []),
  ];
  return { name, ready: READY, prepare };
}

/** json-server. It writes its whole file for each change, without fsync. */
export function jsonServer({ name, data }: TaskOptions): Contestant {
  const bin = fileURLToPath(import.meta.resolve('json-server/lib/cli/bin.js'));
  const prepare = (port: number, folder: string) => {
    const file = join(folder, 'db.json');
    copyFileSync(data, file);
    return [bin, '--quiet', '--host', '127.0.0.1', '--port', String(port), '--snapshots', folder, file];
  };
  return { name, ready: READY, prepare };
}

/** Prism's mock server, which has no state. */
export function prism(contract = CONTRACT, path = READY.path): Contestant {
  const bin = fileURLToPath(import.meta.resolve('@stoplight/prism-cli/dist/index.js'));
  const prepare = (port: number) => [bin, 'mock', '-p', String(port), '-h', '127.0.0.1', '-m', 'false', contract];
  return { name: 'Prism', ready: { ...READY, path }, prepare };
}

/** Scalar's mock server. */
export function scalar(contract = CONTRACT, path = READY.path): Contestant {
  return {
    name: 'Scalar',
    ready: { ...READY, path },
    prepare: (port) => [peer('tasks-scalar.js'), String(port), contract],
  };
}

function peer(file: string): string {
  return fileURLToPath(new URL(`../peers/${file}`, import.meta.url));
}
