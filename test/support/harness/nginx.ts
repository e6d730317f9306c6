import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';
import { startCommand } from './commands.ts';
import { findFreePort } from './free-port.ts';
import { createFetchClient } from './start-storefront.ts';
import { tempFolder } from './temp-folder.ts';

/** Whether nginx is installed. */
export const hasNginx: boolean = spawnSync('nginx', ['-v']).error === undefined;

/** Matches the two replicas in tools/container/nginx.conf. The group contains the settings of the first replica. */
const REPLICAS = /server replica-1:3000(.*;)\n\s*server replica-2:3000.*;/;

/** Starts nginx with tools/container/nginx.conf as a load balancer for the servers on these ports. Stops nginx when the test ends. Returns its URL. */
export async function startNginx(ports: readonly number[]): Promise<string> {
  if (!hasNginx) throw new Error('This test needs nginx, which is not installed: run apt-get install nginx-light.');
  const port = await findFreePort();
  const folder = await tempFolder();
  const text = await readFile(projectFile('tools/container/nginx.conf'), 'utf8');
  const toServers = (_: string, settings: string) =>
    ports.map((one) => `server 127.0.0.1:${one}${settings}`).join('\n');
  const config = text.replace(REPLICAS, toServers).replace('listen 3000', `listen 127.0.0.1:${port}`);
  await writeFile(join(folder, 'nginx.conf'), config);
  runNginx(folder);
  const url = `http://localhost:${port}`;
  const ask = createFetchClient(url);
  await vi.waitFor(async () => expect((await ask('GET', '/_control/health')).status).toBe(200), { timeout: 60_000 });
  return url;
}

/** Starts nginx with nginx.conf in a folder, and stops it when the test ends. */
function runNginx(folder: string): void {
  const settings = `daemon off; pid ${folder}/nginx.pid;`;
  startCommand('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-g', settings], { cwd: folder });
}

/** The port and the certificate of an nginx that terminates TLS. */
interface TlsNginx {
  readonly port: number;
  readonly certificate: string;
}

/**
 * Starts nginx with the server block in docs/deploy.md, before the server on a port, which is also below the path `/shop/`. It terminates TLS with a certificate for `host`, a public name. Stops
 * nginx when the test ends.
 */
export async function startTlsNginx(host: string, serverPort: number): Promise<TlsNginx> {
  const port = await findFreePort();
  const folder = await tempFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-keyout', key, '-out', certificate];
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files]);
  const page = await readFile(projectFile('docs/deploy.md'), 'utf8');
  const [, block = ''] = /```text\n(server \{[^`]*)\}\n```/.exec(page) ?? [];
  const [, below = ''] = /```text\n( *location \/shop\/ [^`]*)```/.exec(page) ?? [];
  const server = `${block}${below}}\n`
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('shop.example.com;', `${host};`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${serverPort}`);
  await writeFile(join(folder, 'nginx.conf'), `events {}\nhttp {\naccess_log off;\n${server}}\n`);
  runNginx(folder);
  return { port, certificate: await readFile(certificate, 'utf8') };
}
