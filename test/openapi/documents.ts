import { join } from 'node:path';
import type { Contract } from '../../src/openapi/contract.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { folderWith } from '../support/harness/folder-with.ts';

/** Writes a document for one test. Returns its path. */
export async function writeDocument(text: string, name = 'openapi.yaml'): Promise<string> {
  return join(await folderWith({ [name]: text }), name);
}

/** Returns a document with one operation, GET /a, whose response has a schema. `more`: text after the paths. */
export function withSchema(schema: string, more = '', version = '3.0.3'): string {
  return `openapi: ${version}
info: { title: t, version: "1" }
paths:
  /a:
    get:
      responses:
        "200":
          description: d
          content:
            application/json:
              schema: ${schema}
${more}`;
}

/** Returns a document with lines below its paths. */
export function withPaths(...lines: readonly string[]): string {
  return `openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** A reference to the component schema A, in YAML. */
export const A = '{ $ref: "#/components/schemas/A" }';
/** Returns the components of a document with some schemas, in YAML. */
export function schemas(text: string): string {
  return `components: { schemas: { ${text} } }\n`;
}

/** Returns the operation for a method and a path. */
export function findRoute(contract: Contract, method: string, path: string): Route {
  const found = contract.route(method, path);
  if (found.kind !== 'operation') throw new Error(`${method} ${path} is not an operation`);
  return found.route;
}

/** Returns an OpenAPI 3.2 document. `paths` and `more`: YAML below `paths`, and after it. */
export function create32(paths: string, more = ''): string {
  return `openapi: 3.2.0\ninfo: { title: t, version: "1" }\npaths:\n${paths}\n${more}`;
}
