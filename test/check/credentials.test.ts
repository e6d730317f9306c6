import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'digest' },
  header: { type: 'apiKey', in: 'header', name: 'X-Shelf' },
  query: { type: 'apiKey', in: 'query', name: 'shelf' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'shelf' },
};

const requirements: readonly Readonly<Record<string, readonly string[]>>[] = [
  ...Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  { bearer: [], query: [], cookie: [] },
];

async function writeSecuredDocument(): Promise<string> {
  const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
  const responses = { 204: { description: 'd' }, 400: { description: 'd' } };
  const operations = requirements.map((requirement) => {
    const id = Object.keys(requirement).join('-');
    return [`/${id}`, { get: { operationId: id, security: [requirement], parameters, responses } }];
  });
  return writeDocument({ paths: Object.fromEntries(operations), securitySchemes });
}

describe('checkServer on an API that requires credentials', () => {
  it('sends credentials of the right form', async () => {
    const path = await writeSecuredDocument();
    const { url } = await startStorefront({ contract: path });
    const contract = await loadContract({ path, strict: false });
    const { findings, unchecked } = await runCheck(url, { contract, isFresh: false });
    expect(formatFindings(findings)).toEqual([]);
    expect(unchecked).toEqual([]);
  });

  it('sends the credentials of the user instead', async () => {
    const path = await writeSecuredDocument();
    const { url } = await startStorefront({ contract: path, auth: ['right'] });
    const contract = await loadContract({ path, strict: false });
    const only = ['bearer', 'header'];
    const wrong = await runCheck(url, { contract, isFresh: false, only });
    expect(wrong.unchecked).toEqual(['bearer (only 401, 405 received)', 'header (only 401, 405 received)']);
    const headers = { authorization: 'Bearer right', 'x-shelf': 'right' };
    expect((await runCheck(url, { contract, isFresh: false, only, headers })).unchecked).toEqual([]);
  });
});
