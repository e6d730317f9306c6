import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './measurement.ts';

/** A server that can be started. */
export interface Contestant {
  readonly name: string;
  /** The arguments to `node` for a start at this port. `folder` is its own and empty; it may put files there. */
  readonly prepare: (port: number, folder: string) => readonly string[];
}

/** How our server is run. */
export interface OurOptions {
  readonly name: string;
  /** `json` goes to /dev/null. */
  readonly log: 'off' | 'json';
  /** Whether it looks at its own answers; by default it does. */
  readonly verify?: 'off';
  /** The data file for a start that was given this folder. */
  readonly data: (folder: string) => string;
}

/** No data file: our server makes it of the default data. */
export const freshData: OurOptions['data'] = (folder) => join(folder, 'db.json');

/** A data file that is there already, as large as this one. */
export function copyOf(file: string): OurOptions['data'] {
  return (folder) => {
    const copy = join(folder, 'db.json');
    copyFileSync(file, copy);
    return copy;
  };
}

/** node:http with answers that are ready as bytes: the least that a server on Node can cost. */
export function bare({ answersFile }: Bench): Contestant {
  return peer('bare', './peers/bare.js', answersFile);
}

/** What one would write by hand with koa, without a contract. */
export function koa({ answersFile }: Bench): Contestant {
  return peer('koa', './peers/koa.js', answersFile);
}

/** The server under test; each change is on the disk before it is answered. */
export function ours({ serverFile }: Pick<Bench, 'serverFile'>, { name, log, data, verify }: OurOptions): Contestant {
  const prepare = (port: number, folder: string) => [
    serverFile,
    '--port',
    String(port),
    '--data',
    data(folder),
    '--log',
    log,
    ...(verify ? ['--verify', verify] : []),
  ];
  return { name, prepare };
}

/** json-server over a data file of the same content; it answers a change once it is written, and syncs nothing. */
export function jsonServer(dataFile: string): Contestant {
  const bin = fileURLToPath(import.meta.resolve('json-server/lib/cli/bin.js'));
  const prepare = (port: number, folder: string) => {
    const data = JSON.parse(readFileSync(dataFile, 'utf8'));
    const cartItems = data.cartItems.map((item: { productId: string }) => ({ id: item.productId, ...item }));
    writeFileSync(join(folder, 'db.json'), JSON.stringify({ ...data, 'cart-items': cartItems }, null, 2));
    writeFileSync(join(folder, 'routes.json'), JSON.stringify({ '/api/*': '/$1' }));
    const routes = ['--routes', join(folder, 'routes.json'), '--snapshots', folder];
    return [bin, '--quiet', '--host', '127.0.0.1', '--port', String(port), ...routes, join(folder, 'db.json')];
  };
  return { name: 'json-server', prepare };
}

function peer(name: string, file: string, answersFile: string): Contestant {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return { name, prepare: (port) => [path, String(port), answersFile] };
}
