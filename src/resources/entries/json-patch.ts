import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Input } from '../../application.ts';
import { isNode, type Node, omitKeys } from '../../openapi/document.ts';
import { findMediaType } from '../../openapi/media-types.ts';
import { findErrorResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { applyPatch, type PatchOperation } from '../../store/json-patch.ts';
import type { Entry, State } from '../../store/state.ts';
import { listPatchTypes } from '../document/patch-types.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { problems } from '../problems.ts';
import type { Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getOwn, removePathValues } from './entry-values.ts';

/** The names of the operations of a JSON Patch, and the members that each needs besides `op` and `path`. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  add: ['value'],
  replace: ['value'],
  test: ['value'],
  remove: [],
  move: ['from'],
  copy: ['from'],
};

/**
 * Returns the operations in a request if its body is a JSON Patch; otherwise undefined.
 * Throws a `DomainError` if an operation is not valid.
 */
export function findPatch(
  reader: SchemaReader,
  route: Route,
  { headers, body }: Input,
): readonly PatchOperation[] | undefined {
  const types = listPatchTypes(reader, route);
  if (types.length === 0) return undefined;
  const sent = findMediaType(Object.keys(route.bodyMedia), String(headers['content-type'] ?? ''));
  if (sent === undefined || !types.includes(sent)) return undefined;
  // Some documents describe a single operation, or an object with the property `operations`.
  const operations = [isNode(body) && Array.isArray(body.operations) ? body.operations : body].flat();
  return operations.map((operation: unknown, index) => {
    const issue = findOperationIssue(operation);
    if (issue === undefined) return operation as PatchOperation;
    throw new DomainError('patch-invalid', `the operation ${index} of the patch ${issue}`);
  });
}

function findOperationIssue(operation: unknown): string | undefined {
  if (!isNode(operation)) return 'is not an object: use an object with op and path';
  const members = getOwn(MEMBERS, String(operation.op)) as readonly string[] | undefined;
  if (!members) return `has the op ${JSON.stringify(operation.op)}: use ${Object.keys(MEMBERS).join(', ')}`;
  for (const name of ['path', ...members]) {
    if (!Object.hasOwn(operation, name)) return `has no ${name}: add it`;
    const value = operation[name];
    const isPointer = name === 'value' || (typeof value === 'string' && /^(?:\/(?:[^~]|~[01])*)?$/s.test(value));
    if (!isPointer) return `has an invalid ${name}: use a JSON Pointer, such as /name`;
  }
  return undefined;
}

/** The entry that a request changes. */
interface PatchedEntry {
  readonly input: Input;
  readonly state: State;
  readonly current: Entry;
  readonly nowMs: number;
}

/**
 * Applies a JSON Patch (RFC 6902) to a stored entry, and returns the changed entry.
 * The patch sees the entry as clients see it, with computed and generated properties.
 * The patch is applied as a whole or not at all.
 * Throws a `DomainError` if an operation fails, or if the entry can't have the result.
 */
export function patchEntry(
  model: ResourceModel,
  plan: Plan,
  operations: readonly PatchOperation[],
  { input, state, current: stored, nowMs }: PatchedEntry,
): Entry {
  const { resource, route } = plan;
  const sender = model.derived.getSender(resource, state, input);
  const [derived = stored] = model.derived.add(state, resource, [stored], { sender, getNow: () => nowMs });
  const shown = resource.schema === '' ? removePathValues(stored) : model.derived.complete(resource, derived);
  const patched = apply(route, shown, operations);
  const removed = Object.keys(shown).filter((name) => !Object.hasOwn(patched, name));
  const changed = Object.fromEntries(Object.entries(patched).filter(([name, value]) => getOwn(shown, name) !== value));
  const [issue] = model.validator.findIssues(resource, changed);
  if (issue) throw createUnprocessable(route, `the patch is refused: ${issue.pointer} ${issue.message}`);
  const result = model.updateEntry(plan, stored, (old) => ({ ...omitKeys(old, removed), ...changed }), changed, nowMs);
  const fixed = [...removed, ...Object.keys(changed)].find(
    (name) => !isDeepStrictEqual(getOwn(result, name), getOwn(patched, name)),
  );
  const required = removed.find((name) => isRequired(model, resource, name));
  if ((fixed ?? required) === undefined) return result;
  const reason = fixed === undefined ? `${required} is required` : `${fixed} can't be changed`;
  throw createUnprocessable(route, `the patch is refused: ${reason}`);
}

/** Returns whether an entry is not valid without a property. */
function isRequired({ contract }: ResourceModel, { schema }: Resource, name: string): boolean {
  if (schema === '') return false;
  return contract.getAllErrors(schema, {}).some(({ params }) => params.missingProperty === name);
}

function apply(route: Route, entry: Entry, operations: readonly PatchOperation[]): Node {
  // The entry is a property here, so that a patch with the path "" can replace it.
  const inner = operations.map((operation) => ({
    ...operation,
    path: `/entry${operation.path}`,
    ...(operation.from !== undefined && { from: `/entry${operation.from}` }),
  }));
  const result = applyPatch<Node>({ entry }, inner);
  if (result.failed !== undefined) {
    const { failed, reason } = result;
    const { op, path } = operations[failed] as PatchOperation;
    const code = chooseCode(route, ['patch-conflict', 'patch-unprocessable']);
    throw new DomainError(code, `the operation ${failed} of the patch (${op} ${path}) fails: ${reason}`);
  }
  const { entry: patched } = result.document;
  if (isNode(patched)) return patched;
  throw createUnprocessable(route, 'the patch is refused: the result is not an object');
}

function createUnprocessable(route: Route, detail: string): DomainError {
  return new DomainError(chooseCode(route, ['patch-unprocessable', 'patch-invalid']), detail);
}

const STATUSES = { 'patch-invalid': 400, 'patch-unprocessable': 422, 'patch-conflict': 409 } as const satisfies Partial<
  Record<keyof typeof problems, number>
>;

/**
 * Returns the first of the error codes whose status the contract documents.
 * If it documents none, returns the first code.
 */
function chooseCode(
  { responses }: Route,
  codes: readonly [keyof typeof STATUSES, ...(keyof typeof STATUSES)[]],
): keyof typeof STATUSES {
  const isDocumented = (code: keyof typeof STATUSES) =>
    findErrorResponse(responses, STATUSES[code])?.name === String(STATUSES[code]);
  return codes.find(isDocumented) ?? codes[0];
}

/** Applies a JSON Merge Patch (RFC 7396) to `target`. Returns the result, and leaves `target` unchanged. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isNode(patch)) return patch;
  const result = new Map<string, unknown>(Object.entries(isNode(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, applyMergePatch(result.get(name), value));
  }
  return Object.fromEntries(result) as Node;
}
