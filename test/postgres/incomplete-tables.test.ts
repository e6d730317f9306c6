import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../src/server/repair.ts';
import { expectProblem } from '../support/harness/problems.ts';
import {
  createDatabase,
  fill,
  sendUntilServed,
  startWithDatabase,
  TABLES,
  WAIT,
} from '../support/postgres/lost-tables.ts';
import { startServer } from '../support/postgres/servers.ts';

it('servers whose database has lost one table say so, and delete no other table', async () => {
  const { database, servers } = await startWithDatabase(2);
  await fill(servers);
  await database.run('DROP TABLE changes');
  for (const server of servers) {
    await expect.poll(async () => (await server.ask('GET', '/api/orders')).status, WAIT).toBe(503);
    await expect
      .poll(() => server.log.map(({ msg }) => msg).join('\n'), WAIT)
      .toContain('Restore the missing tables, delete these tables, or use another schema');
  }
  expect(await database.run('SELECT id FROM sandboxes')).toHaveLength(4);
  await database.run(`DROP TABLE ${TABLES.replace('changes, ', '')}`);
  for (const server of servers) {
    const { body } = await sendUntilServed(() => server.ask('GET', '/api/orders'));
    expect(body).toHaveLength(2);
  }
});

/** Starts a server whose user may not create tables, and creates an order. `migrate`: creates the tables as another user. */
async function startWithoutRights() {
  const database = await createDatabase();
  const username = `user_${randomBytes(6).toString('hex')}`;
  await database.run(`CREATE ROLE ${username} LOGIN PASSWORD 'other'`);
  const migrate = async () => {
    await migrateDatabase({ database: database.url });
    await database.run(`GRANT USAGE ON SCHEMA storefront TO ${username};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA storefront TO ${username}`);
  };
  await migrate();
  const url = Object.assign(new URL(database.url), { username, password: 'other' }).href;
  const server = await startServer({ database: url, databaseSchema: 'storefront', errorsExpected: true });
  await server.ask('POST', '/api/orders');
  return { database, username, server, migrate };
}

describe('a server whose user may not create tables', () => {
  it('says what to do, and continues when somebody has done it', async () => {
    const { database, server, migrate } = await startWithoutRights();
    await database.run('DROP SCHEMA storefront CASCADE');
    const refused = await server.ask('GET', '/api/orders');
    expectProblem(refused, 503, 'unavailable');
    expect(refused.body.detail).toContain('its log says what to do');
    await expect
      .poll(() => server.log.map(({ msg }) => msg), WAIT)
      .toContainEqual(expect.stringMatching(/can't be created again: .*permission denied.*run storefront migrate/));
    await migrate();
    const { body } = await sendUntilServed(() => server.ask('GET', '/api/orders'));
    expect(body).toHaveLength(2);
  });

  it('keeps the data if the user may not use the schema for some time', async () => {
    const { database, username, server, migrate } = await startWithoutRights();
    await database.run(`REVOKE USAGE ON SCHEMA storefront FROM ${username}`);
    await expect
      .poll(() => server.log.map(({ msg }) => msg), WAIT)
      .toContainEqual(expect.stringMatching(/can't be created again: .*run storefront migrate/));
    await migrate();
    expect((await sendUntilServed(() => server.ask('GET', '/api/orders'))).body).toHaveLength(3);
  });
});
