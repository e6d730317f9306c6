import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './measurement.ts';
import type { ShopRequest } from './requests.ts';

/** A server that can be started. */
export interface Contestant {
  readonly name: string;
  /** Returns whether a measurement sends a request to the server. Default: all requests. */
  readonly serves?: (request: ShopRequest) => boolean;
  /** Returns the arguments of `node` for starting the server at a port. `folder`: an empty folder for the files of this server. */
  readonly prepare: (port: number, folder: string) => readonly string[];
}

/** Options of our server. */
export interface OurOptions {
  readonly name: string;
  /** The `json` log is written to /dev/null. */
  readonly log: 'off' | 'json';
  /** `off`: the server does not verify its responses. Default: it does. */
  readonly verify?: 'off';
  readonly durability?: 'os' | 'memory';
  readonly serves?: Contestant['serves'];
  /** Returns the path of the data file. `folder`: the folder for the files of this server. */
  readonly data: (folder: string) => string;
}

/** Returns the path of a data file that does not exist. Our server creates it with the default data. */
export const newDataFile: OurOptions['data'] = (folder) => join(folder, 'db.json');

/** Creates a function that copies a data file and returns the path of the copy. */
export function copyDataFile(file: string): OurOptions['data'] {
  return (folder) => {
    const copy = join(folder, 'db.json');
    copyFileSync(file, copy);
    return copy;
  };
}

/** A server with node:http that sends stored responses. No server on Node needs less CPU time. */
export function bare({ responsesFile }: Bench): Contestant {
  return peer('bare', './peers/bare.js', responsesFile);
}

/** A typical handwritten server with koa, without a contract. */
export function koa({ responsesFile }: Bench): Contestant {
  return { ...peer('koa', './peers/koa.js', responsesFile), serves: isServedByKoa };
}

/** Returns whether the server with koa implements a request: it validates nothing, and has no parameters. */
export function isServedByKoa({ method, path, status }: ShopRequest): boolean {
  return status < 400 && method !== 'PUT' && !path.includes('?');
}

/** Returns whether a request changes the state. */
export function isChange({ method, status }: ShopRequest): boolean {
  return method !== 'GET' && status < 400;
}

/** The server under test. By default, it stores each change durably before it responds. */
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

/** json-server with a data file of the same content. It writes a change before it responds, but does not call fsync. */
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
