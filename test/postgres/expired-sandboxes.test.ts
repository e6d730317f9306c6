import { describe, expect, it } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createSandboxClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import type { TestResponse } from '../support/harness/start-storefront.ts';
import { createDatabaseOptions, runSql, startServers, type TestServer } from '../support/postgres/servers.ts';

const ID = 'w1';

const getExpiry = ({ headers }: TestResponse) => headers.get('X-Sandbox-Expired');

/** Starts two servers. `age`: sets the time of the last use of all sandboxes to two hours ago. `sweep`: lets a server delete the expired ones. */
async function startTwo(options: Parameters<typeof startServers>[1] = {}) {
  const { database, databaseSchema } = createDatabaseOptions();
  const servers = await startServers(2, { database, databaseSchema, ...options });
  const run = (statement: string) => runSql(database, statement.replaceAll('$', databaseSchema));
  // A server reports at each sweep which sandboxes it has used since the last one.
  const age = async () => {
    for (const server of servers) await sweep(server);
    await run(`UPDATE $.sandboxes SET used_at = now() - interval '2 hours'`);
  };
  const sweep = async ({ sendControl }: TestServer) => {
    const [{ before }] = await run(`INSERT INTO $.expired_sandboxes VALUES ('mark', now() - interval '2 days')
      ON CONFLICT (id) DO UPDATE SET expired_at = now() - interval '2 days' RETURNING 1 AS before`);
    expect(before).toBe(1);
    await sendControl('GET', '');
    // The end of a sweep.
    await expect.poll(() => run(`SELECT 1 FROM $.expired_sandboxes WHERE id = 'mark'`)).toEqual([]);
  };
  const expire = async () => {
    await age();
    await sweep(servers[0]);
  };
  return { servers, run, age, sweep, expire };
}

describe('a response for the id of a sandbox of two servers that expired', () => {
  it('has a header with the time of expiry, from either server, once', async () => {
    const { servers, expire } = await startTwo();
    const [one, other] = servers;
    const startMs = Date.now();
    for (const id of ['w1', 'w2']) await createSandboxClient(one, id)('POST', '/api/orders');
    await expire();
    expect(await listSandboxIds(one)).toEqual(['default']);
    for (const [server, id] of [
      [one, 'w1'],
      [other, 'w2'],
    ] as const) {
      const ask = createSandboxClient(server, id);
      const first = await ask('GET', '/api/orders');
      expect([first.status, first.body.length]).toEqual([200, 2]);
      expect(Math.abs(Date.parse(getExpiry(first) ?? '') - startMs)).toBeLessThan(600_000);
      expect(getExpiry(await ask('GET', '/api/orders'))).toBeNull();
    }
    expect(getExpiry(await createSandboxClient(other, 'w1')('GET', '/api/orders'))).toBeNull();
  });

  it('has the header in the control API too, which rejects a read with 404', async () => {
    const { servers, expire } = await startTwo();
    const [one, other] = servers;
    await createSandboxClient(one, ID)('GET', '/api/orders');
    await expire();
    const reply = await other.sendControl('GET', `/${ID}/state`);
    expectProblem(reply, 404, 'unknown-sandbox');
    expect(getExpiry(reply)).toMatch(/^\d{4}-.*Z$/);
    expect(reply.body.detail).toContain(`it expired at ${getExpiry(reply)}`);
    const created = await one.sendControl('PUT', `/${ID}`);
    expect([created.status, getExpiry(created)]).toEqual([200, getExpiry(reply)]);
    for (const { sendControl } of servers) expect(getExpiry(await sendControl('GET', `/${ID}`))).toBeNull();
  });

  it('has the header also if sandboxes are declared', async () => {
    const { servers, expire } = await startTwo({ sandboxes: 'declared' });
    const [one, other] = servers;
    await one.sendControl('PUT', `/${ID}`);
    await expire();
    const reply = await createSandboxClient(other, ID)('GET', '/api/orders');
    expectProblem(reply, 404, 'unknown-sandbox');
    expect(getExpiry(reply)).not.toBeNull();
  });

  it('has the header for a visitor only if the sandbox has no changes, or was not used for 30 days', async () => {
    const { servers, expire, run, sweep } = await startTwo({ sandboxes: 'visitor' });
    const [one, other] = servers;
    await createSandboxClient(one, 'changed')('POST', '/api/orders');
    await createSandboxClient(one, 'unchanged')('GET', '/api/orders');
    await expire();
    expect(await listSandboxIds(one)).toEqual(['default', 'changed']);
    expect((await createSandboxClient(other, 'changed')('GET', '/api/cart-items')).body).toEqual([]);
    for (const server of servers) await sweep(server);
    await run(`UPDATE $.sandboxes SET used_at = now() - interval '31 days'`);
    await sweep(one);
    expect(await listSandboxIds(one)).toEqual(['default']);
  });

  it('has no header after a sandbox with this id was created and deleted', async () => {
    const { servers, expire } = await startTwo();
    const [one, other] = servers;
    await one.sendControl('PUT', `/${ID}`);
    await expire();
    await one.sendControl('PUT', `/${ID}`);
    await one.sendControl('DELETE', `/${ID}`);
    const reply = await other.sendControl('GET', `/${ID}`);
    expect([reply.status, getExpiry(reply)]).toEqual([404, null]);
  });

  it('has the header for a day, and for the latest 10,000 sandboxes', async () => {
    const { servers, run, sweep } = await startTwo();
    await run(`INSERT INTO $.expired_sandboxes
      SELECT 's' || number, now() - number * interval '1 second' FROM generate_series(1, 10005) AS number`);
    await run(`INSERT INTO $.expired_sandboxes VALUES ('yesterday', now() - interval '25 hours')`);
    const ask = async (id: string) => getExpiry(await servers[1].sendControl('GET', `/${id}`));
    expect(await ask('yesterday')).toBeNull();
    await sweep(servers[0]);
    expect(await run('SELECT count(*)::int, max(substr(id, 2)::int) FROM $.expired_sandboxes')).toEqual([
      { count: 10_000, max: 10_000 },
    ]);
    expect(await ask('s10000')).not.toBeNull();
    expect(await ask('s10001')).toBeNull();
  });
});

describe('a sandbox of two servers', () => {
  it('does not expire while a client follows its journal', async () => {
    const { servers, age, sweep } = await startTwo();
    const [one, other] = servers;
    await one.sendControl('PUT', `/${ID}`);
    const stream = await followEvents(other, `/${ID}/requests`);
    await age();
    for (const server of [other, one]) await sweep(server);
    expect(await listSandboxIds(one)).toEqual(['default', ID]);
    stream.leave();
  });

  it('is not used by a client that lists all sandboxes', async () => {
    const { servers, run, age, sweep } = await startTwo();
    const [one, other] = servers;
    await one.sendControl('PUT', `/${ID}`);
    await age();
    await run(`UPDATE $.sandboxes SET used_at = now() - interval '30 minutes'`);
    for (const server of [one, other, one, other]) await sweep(server);
    const unused = `SELECT id FROM $.sandboxes WHERE used_at < now() - interval '29 minutes' AND id <> 'default'`;
    expect(await run(unused)).toEqual([{ id: ID }]);
  });
});
