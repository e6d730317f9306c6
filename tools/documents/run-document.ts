import { DocumentClient, type Finding } from './client.ts';
import type { Document, Operation } from './document.ts';
import { type LifeCycle, runLifeCycle } from './life-cycle.ts';
import { ParentEntities } from './parents.ts';
import { readDocument } from './read-document.ts';
import { generateBody } from './request-body.ts';
import { findResources, resourceOperations } from './resources.ts';
import { type Command, type ExplainedOperation, startServer } from './server.ts';
import { createValidator } from './validator.ts';

/** The result of a document. */
export interface DocumentResult {
  readonly name: string;
  readonly operations: number;
  /** The collection and item operations, found by their paths. */
  readonly resourceOperations: number;
  /** Those that are real by `storefront explain`; undefined for other servers. */
  readonly realOperations: number | undefined;
  /** Those that are not. */
  readonly mocked: readonly string[];
  readonly lifeCycles: readonly LifeCycle[];
  readonly findings: readonly Finding[];
  readonly startMs: number;
  /** Memory after the start and at most, in MB. */
  readonly startMb: number;
  readonly peakMb: number;
  /** The reason why the document could not be served. */
  readonly error?: string;
}

/** Options of a run. */
export interface RunOptions {
  readonly name: string;
  readonly file: string;
  readonly command: Command;
  /** Lists the operations with what they are on the server. */
  explain?(file: string): Promise<readonly ExplainedOperation[] | undefined>;
}

/** Serves a document, runs the life cycles of all its resources, and calls each other operation once. */
export async function runDocument(options: RunOptions): Promise<DocumentResult> {
  const document = await readDocument(options.file);
  const resources = findResources(document);
  const operations = [...new Set(resources.flatMap(resourceOperations))];
  const explained = await options.explain?.(options.file);
  const found = { ...compare(operations, explained), name: options.name, operations: document.operations.length };
  try {
    return { ...found, ...(await runOn(document, options)) };
  } catch (error) {
    const none = { lifeCycles: [], findings: [], startMs: 0, startMb: 0, peakMb: 0 };
    return { ...found, ...none, error: (error as Error).message };
  }
}

function compare(operations: readonly Operation[], explained: readonly ExplainedOperation[] | undefined) {
  const texts = new Map(explained?.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one]));
  const mocked = operations.filter(({ method, path }) => texts.get(`${method} ${path}`)?.mocked !== false);
  return {
    resourceOperations: operations.length,
    realOperations: explained ? operations.length - mocked.length : undefined,
    mocked: explained
      ? mocked.map(
          ({ method, path }) => `${method} ${path}: ${texts.get(`${method} ${path}`)?.explanation ?? 'not listed'}`,
        )
      : [],
  };
}

async function runOn(document: Document, { command, file }: RunOptions) {
  const server = await startServer(command, file);
  try {
    const startMb = server.memory()?.nowMb ?? 0;
    const client = new DocumentClient(document, createValidator(document), server.origin);
    const lifeCycles = await runLifeCycles(client);
    return {
      lifeCycles,
      findings: client.findings,
      startMs: server.startMs,
      startMb,
      peakMb: server.memory()?.peakMb ?? 0,
    };
  } finally {
    await server.stop();
  }
}

/** Runs the life cycles of the resources of a document, then calls each operation that was not called. */
export async function runLifeCycles(client: DocumentClient): Promise<readonly LifeCycle[]> {
  const resources = findResources(client.document);
  const parents = new ParentEntities(client, resources);
  const lifeCycles: LifeCycle[] = [];
  for (const resource of resources) {
    const lifeCycle = await runLifeCycle(client, parents, resource);
    if (lifeCycle) lifeCycles.push(lifeCycle);
  }
  // A path with a fragment is a second description of a path: a server can't tell them apart.
  const callable = client.document.operations.filter(({ path }) => !path.includes('#'));
  for (const operation of callable) if (!client.called.has(operation)) await callOnce(client, parents, operation);
  return lifeCycles;
}

async function callOnce(client: DocumentClient, parents: ParentEntities, operation: Operation): Promise<void> {
  const { document, validate } = client;
  const body = generateBody(operation, { document, validate, number: client.nextNumber() });
  if (body === null) return;
  await client.send({ operation, path: await parents.values(operation.path, operation), body });
}
