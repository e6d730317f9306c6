import { join } from 'node:path';
import { folderWith } from './folder-with.ts';

/** What of a document matters to a test. */
interface Parts {
  readonly paths?: object;
  readonly schemas?: object;
}

/** The path of an OpenAPI document of these parts, for one test. */
export async function otherDocument({ paths = {}, schemas = {} }: Parts): Promise<string> {
  const document = { openapi: '3.1.0', info: { title: 't', version: '1' }, paths, components: { schemas } };
  return join(await folderWith({ 'openapi.json': JSON.stringify(document) }), 'openapi.json');
}

/** An operation whose success is JSON by a schema. */
export function operation(operationId: string | undefined, schema: object = {}, more: object = {}): object {
  const responses = { 200: { description: 'd', content: { 'application/json': { schema } } } };
  return { ...(operationId === undefined ? {} : { operationId }), responses, ...more };
}
