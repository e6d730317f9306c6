import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

it("Without a contract, a check uses that of the server: the shop's with operations of one's own", async () => {
  const contract = join(await tempFolder(), 'openapi.yaml');
  await copyFile(projectFile('openapi.yaml'), contract);
  const overlay = join(contract, '../openapi.overlay.yaml');
  await copyFile(projectFile('test/examples/shop/openapi.overlay.yaml'), overlay);
  const { url } = await startStorefront({ contract, handlers: projectFile('test/examples/shop/handlers.mjs') });
  const program = await startProgram({ onTestFinished }, ['check', url, '--runs', '5', '--json']);
  expect((await program.ended).code).toBe(0);
  const { data } = JSON.parse(program.stdout());
  expect(data).toMatchObject({ verdict: 'passed', title: expect.stringContaining('/openapi.json') });
  const operations = data.coverage.operations.map(({ operationId }: { operationId: string }) => operationId);
  expect(operations).toEqual(expect.arrayContaining(['listProducts', 'createReview', 'deleteReview', 'trackOrder']));
});
