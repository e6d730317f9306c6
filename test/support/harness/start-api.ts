import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Options } from '../../../src/index.ts';
import { createApiDocument, type Paths, type Schema } from '../fixtures/api-document.ts';
import { type OtherOperation, readOperations } from '../oracles/second-validator.ts';
import { startStorefront, type TestShop } from './start-storefront.ts';

/** The parts of a test's document: its operations and schemas. */
export interface Api {
  readonly paths: Paths;
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** The folder with the documents of this process. */
const apis = mkdtempSync(join(tmpdir(), 'storefront-apis-'));
process.once('exit', () => rmSync(apis, { recursive: true, force: true }));

/** Writes the document of an API, and returns its path. Equal documents have the same path, so that the server loads them only once. */
export async function writeApi({ paths, schemas }: Api): Promise<string> {
  const text = createApiDocument(paths, schemas);
  const folder = join(apis, createHash('sha256').update(text).digest('hex'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), text);
  return join(folder, 'openapi.json');
}

/** Starts a server for an API. Each success response must be valid by the second validator. */
export async function startApi(api: Api, options: Options = {}): Promise<TestShop> {
  const contract = await writeApi(api);
  const server = await startStorefront({ newId: createCountingIds(), ...options, contract });
  return { ...server, ask: validateResponses(contract, server.ask) };
}

/** The operations of the second validator, by contract file. */
const operationsByFile = new Map<string, readonly ReturnType<typeof addPattern>[]>();

function addPattern(operation: OtherOperation) {
  return { ...operation, pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`) };
}

/** Returns a client that expects each success response to be valid by the second validator. */
export function validateResponses(contract: string, ask: TestShop['ask']): TestShop['ask'] {
  const operations = operationsByFile.get(contract) ?? readOperations(contract).map(addPattern);
  operationsByFile.set(contract, operations);
  return async (method, path, body, headers) => {
    const response = await ask(method, path, body, headers);
    const target = path.replace(/\?.*/, '');
    const candidates = operations.filter((operation) => operation.method === method && operation.pattern.test(target));
    // A path without parameters takes precedence.
    const operation = candidates.find((candidate) => candidate.path === target) ?? candidates[0];
    if (response.status < 400)
      expect(operation?.troublesWith(response), `${method} ${path} ${response.text}`).toEqual([]);
    return response;
  };
}

/** Returns the id with this number that `createCountingIds` makes. */
export function getCountedId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Returns a generator of the UUIDs 1, 2, 3 and so on. */
export function createCountingIds(): () => string {
  let last = 0;
  return () => getCountedId(++last);
}
