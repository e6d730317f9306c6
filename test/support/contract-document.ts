import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import { projectFile } from './default-data.ts';

/** A schema of the contract, as far as the tests look into it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
}

/** What has a schema and examples: a media type, a header, a parameter. */
export interface Exemplified {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: NamedExamples;
  readonly 'x-refused-examples'?: NamedExamples;
}

type NamedExamples = Readonly<Record<string, { readonly value: unknown }>>;

/** A response of the contract. */
export interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, Exemplified & { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, Exemplified>>;
}

/** An operation of the contract, with where it stands. */
export interface DocumentedOperation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (Exemplified & { readonly name: string; readonly in: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Exemplified>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** openapi.yaml, read by the tests themselves: every reference replaced by what it leads to. */
export const contractDocument = withoutReferences(
  load(readFileSync(projectFile('openapi.yaml'), 'utf8'), { schema: CORE_SCHEMA }),
);

/** All operations of openapi.yaml. */
export const documentedOperations: readonly DocumentedOperation[] = Object.entries(contractDocument.paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
);

/** The operation of this id. */
export function documentedOperation(operationId: string): DocumentedOperation {
  const operation = documentedOperations.find((candidate) => candidate.operationId === operationId);
  if (!operation) throw new Error(`openapi.yaml has no operation ${operationId}`);
  return operation;
}

/** The media type that the body of a request or response has; undefined where it has none. */
export function onlyContent(holder: { readonly content?: Readonly<Record<string, Exemplified>> } | undefined) {
  return Object.values(holder?.content ?? {})[0];
}

function withoutReferences(document: unknown): ContractDocument {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) return visit(targetOf(document, String(node.$ref)));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
  };
  return visit(document) as ContractDocument;
}

function targetOf(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce((node, step) => (node as Record<string, unknown>)[step], document);
}
