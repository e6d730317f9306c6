import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatTable, parity } from '../../tools/parity/parity.ts';
import { documentedOperations } from '../support/fixtures/contract-document.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const contractText = await readFile(projectFile('openapi.yaml'), 'utf8');

async function parityWith(from: string, to: string) {
  if (!contractText.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  const folder = await folderWith({ 'openapi.yaml': contractText.replace(from, to) });
  return parity(join(folder, 'openapi.yaml'));
}

describe('the shop and its mock', () => {
  it('give every documented response, with the same properties', async () => {
    const rows = await parity(projectFile('openapi.yaml'));
    const documented = documentedOperations.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    expect(rows.map(({ operationId, response }) => `${operationId} ${response.split(' ')[0]}`)).toEqual(documented);
    expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
    expect(formatTable(rows).split('\n')).toHaveLength(documented.length + 1);
  });

  it.each([
    [
      'an example without a request of the same name',
      'value: products\n',
      'value: other\n',
      'Only the real response has body[].products[].product',
    ],
    [
      'a response without a recipe',
      '        "201":\n          description: The order',
      '        "202":\n          description: x\n        "201":\n          description: The order',
      'createOrder 202: No request is known',
    ],
  ])('are reported as different for %s', async (_what, from, to, message) => {
    const rows = await parityWith(from, to);
    expect(formatTable(rows)).toContain(message);
  });
});
