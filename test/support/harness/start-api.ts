import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Options } from '../../../src/index.ts';
import { createApiDocument, type Paths, type Schema } from '../fixtures/api-document.ts';
import { type OtherOperation, readOperations } from '../oracles/second-validator.ts';
import { startStorefront, type TestShop } from './start-storefront.ts';

/** The operations and the component schemas of a test document. */
export interface Api {
  readonly paths: Paths;
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** Whether all operations that are not public need a bearer token. */
  readonly needsToken?: boolean;
}

/** The temporary folder for all documents of this process. */
const apis = mkdtempSync(join(tmpdir(), 'storefront-apis-'));
process.once('exit', () => rmSync(apis, { recursive: true, force: true }));

/**
 * Writes an OpenAPI document for an API. Returns the path of the file. Equal documents have the same path, so that the server loads each document only once.
 */
export async function writeApi({ paths, schemas, needsToken }: Api): Promise<string> {
  const text = createApiDocument(paths, schemas, needsToken);
  const folder = join(apis, createHash('sha256').update(text).digest('hex'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), text);
  return join(folder, 'openapi.json');
}

/**
 * Starts a server for an API, and closes it when the test ends. Its client expects each success response to be valid by the validator in
 * `test/support/oracles`, which shares no code with the server.
 */
export async function startApi(api: Api, options: Options = {}): Promise<TestShop> {
  const contract = await writeApi(api);
  const server = await startStorefront({ newId: createCountingIds(), ...options, contract });
  return { ...server, ask: validateResponses(contract, server.ask) };
}

/** The operations that validate responses, by the path of the contract file. */
const operationsByFile = new Map<string, readonly ReturnType<typeof addPattern>[]>();

function addPattern(operation: OtherOperation) {
  const parts = operation.path.split(/\{[^}]*\}/).map((part) => part.replaceAll(/\W/g, '\\$&'));
  return { ...operation, pattern: new RegExp(`^${parts.join('[^/]+')}$`) };
}

/**
 * Wraps the client `ask`. The new client expects each success response to be valid by the validator in `test/support/oracles`, which shares no code with the
 * server. `contract`: the path of the contract file.
 */
export function validateResponses(contract: string, ask: TestShop['ask']): TestShop['ask'] {
  const operations = operationsByFile.get(contract) ?? readOperations(contract).map(addPattern);
  operationsByFile.set(contract, operations);
  return async (method, path, body, headers) => {
    const response = await ask(method, path, body, headers);
    const target = path.replace(/\?.*/, '').replace(/^\/_sandbox\/\w+/, '');
    const candidates = operations.filter((operation) => operation.method === method && operation.pattern.test(target));
    // An operation without path parameters takes precedence.
    const operation = candidates.find((candidate) => candidate.path === target) ?? candidates[0];
    if (response.status < 400)
      expect(operation?.troublesWith(response), `${method} ${path} ${response.text}`).toEqual([]);
    return response;
  };
}

/** Returns the id that the generator of `createCountingIds` returns at its call with this number. The first call is 1. */
export function getCountedId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Returns a generator of UUIDs that end in 1, 2, 3 and so on. */
export function createCountingIds(): () => string {
  let last = 0;
  return () => getCountedId(++last);
}
