import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createManyOperations } from '../support/fixtures/many-operations.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { type OtherOperation, parseOperations } from '../support/oracles/second-validator.ts';

const document = createManyOperations();

/** Used by all tests, because compiling the schemas of the responses takes most of the time. */
const operations = parseOperations(document);

/** Starts a server with the 600 operations; `askAll` returns the response to each, with its issues. */
async function startMany() {
  const contract = join(await folderWith({ 'openapi.json': document }), 'openapi.json');
  const shop = await startStorefront({ contract, mock: true });
  const askAll = async (headers: Record<string, string>) => {
    const ask = async (operation: OtherOperation) => {
      const path = operation.path.replace('{id}', '1');
      const reply = await shop.ask(operation.method, path, undefined, headers);
      return { path, text: reply.text, troubles: operation.troublesWith(reply) };
    };
    const responses: Awaited<ReturnType<typeof ask>>[] = [];
    for (const operation of operations) responses.push(await ask(operation));
    return responses;
  };
  return { shop, askAll };
}

const getIssues = (responses: readonly { readonly path: string; readonly troubles: readonly string[] }[]) =>
  responses.filter(({ troubles }) => troubles.length > 0).map(({ path, troubles }) => [path, troubles]);

describe('a mocked document with 600 operations', () => {
  it('has a documented response to each request', async () => {
    const { shop, askAll } = await startMany();
    expect([shop.operations, shop.mocked.length]).toEqual([600, 600]);
    expect(getIssues(await askAll({}))).toEqual([]);
  });

  it('has a documented generated response to each request, which is the same for the same seed', async () => {
    const { askAll } = await startMany();
    const texts = new Set<string>();
    for (const seed of [1, 2, 3]) {
      const responses = await askAll({ Prefer: `dynamic=true, seed=${seed}` });
      expect(getIssues(responses), `seed ${seed}`).toEqual([]);
      texts.add(responses.map(({ text }) => text).join('\n'));
      const again = await askAll({ Prefer: `dynamic=true, seed=${seed}` });
      expect(again.map(({ text }) => text)).toEqual(responses.map(({ text }) => text));
    }
    expect(texts.size).toBe(3);
  });
});
