import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './measurement.ts';
import type { ShopRequest } from './requests.ts';

/** A server that the measurements can start. A measurement compares several servers. */
export interface Contestant {
  readonly name: string;
  /** Returns whether a measurement sends this request to the server. Default: the server gets all requests. */
  readonly serves?: (request: ShopRequest) => boolean;
  /** The request that the server can respond to with 200 as soon as it is ready. Default: the list of products. */
  readonly ready?: ShopRequest;
  /** Returns the command-line arguments for `node` that start the server at a port. `folder`: an empty folder for the files of this server. */
  readonly prepare: (port: number, folder: string) => readonly string[];
}

/** Options for starting our server. */
export interface OurOptions {
  readonly name: string;
  /** The format of the log. The output of the server goes to /dev/null. */
  readonly log: 'off' | 'json';
  /** With `off`, the server does not verify its responses. By default, it verifies them. */
  readonly verify?: 'off';
  readonly durability?: 'memory';
  readonly serves?: Contestant['serves'];
  /** Returns the path of the data file. `folder`: an empty folder for the files of this server. */
  readonly data: (folder: string) => string;
}

/** Returns the path of a data file that does not exist yet. Our server creates the file with the default data. */
export const newDataFile: OurOptions['data'] = (folder) => join(folder, 'db.json');

/** Returns a function that copies a data file to the folder of a server and returns the path of the copy. */
export function copyDataFile(file: string): OurOptions['data'] {
  return (folder) => {
    const copy = join(folder, 'db.json');
    copyFileSync(file, copy);
    return copy;
  };
}

/** A server with only `node:http` that sends recorded responses. No server on Node needs less CPU time for a response. */
export function bare({ responsesFile }: Bench): Contestant {
  return peer('bare', './peers/bare.js', responsesFile);
}

/** A typical handwritten server with Koa that does not use a contract. */
export function koa({ responsesFile }: Bench): Contestant {
  return { ...peer('koa', './peers/koa.js', responsesFile), serves: isServedByKoa };
}

/** Returns whether the Koa server implements a request. It has no query parameters. */
export function isServedByKoa({ path }: ShopRequest): boolean {
  return !path.includes('?');
}

/** Returns whether a request changes the state. A rejected request changes nothing. */
export function isChange({ method, status }: ShopRequest): boolean {
  return method !== 'GET' && status < 400;
}

/** Our server, the server under test. By default, it calls fsync for each change before it responds. */
export function ours({ serverFile }: Pick<Bench, 'serverFile'>, options: OurOptions): Contestant {
  const { name, log, data, verify, durability, serves = () => true } = options;
  const prepare = (port: number, folder: string) => [
    serverFile,
    '--port',
    String(port),
    '--data',
    data(folder),
    '--log',
    log,
    ...(verify ? ['--verify', verify] : []),
    ...(durability ? ['--durability', durability] : []),
  ];
  return { name, serves, prepare };
}

/** json-server with the same data as our server. It writes a change to its file before it responds, but does not call fsync. */
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

function peer(name: string, file: string, responsesFile: string): Contestant {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return { name, prepare: (port) => [path, String(port), responsesFile] };
}
