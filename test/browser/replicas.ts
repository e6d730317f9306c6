// Starts PostgreSQL, two servers of the installed package with this database, and a proxy that sends each request to the other server than the one before. Takes
// the port of the proxy. All of them end with this process.
import { spawn } from 'node:child_process';
import { findFreePort } from '../support/harness/free-port.ts';
import { startCluster } from '../support/postgres/cluster.ts';
import { createRoundRobin } from '../support/postgres/round-robin.ts';

const [port] = process.argv.slice(2);
const cluster = await startCluster();
const ports = [await findFreePort(), await findFreePort()];

for (const one of ports) {
  const args = ['--no-install', 'storefront', '--port', String(one), '--database', cluster.getUrl()];
  spawn('npx', args, { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
}

createRoundRobin(ports).listen(Number(port), 'localhost');
