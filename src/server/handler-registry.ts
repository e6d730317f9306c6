import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ContractImplementation,
  type Handle,
  type Implementation,
  mocked,
  type Operation,
} from '../application.ts';
import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/user-error.ts';

/** Handlers of a user, by operationId. */
export type UserHandlers = Readonly<Record<string, Handle | typeof mocked>>;

/** The operations to mock: `true` for all operations, `false` for none, or a list of operationIds. */
export type MockedOperations = boolean | readonly string[];

/** The implementation of an operation; undefined if the operation is mocked. */
export interface ChosenImplementation {
  readonly implementation?: Implementation;
  /** Whether the operation is mocked because nothing implements it. False if the user mocks it. */
  readonly isUnimplemented?: boolean;
  /** Returns what the handler does, or why the operation is mocked. */
  readonly explain: () => string;
}

/** Chooses the implementation of an operation. A user's handler takes precedence over the application's handler. */
export function chooseImplementation(
  route: Route,
  {
    implementation,
    mock,
    handlers,
  }: { implementation: ContractImplementation; mock: MockedOperations; handlers: UserHandlers },
): ChosenImplementation {
  const { operationId, successStatus } = route;
  if (mock === true || (mock !== false && mock.includes(operationId))) return { explain: () => 'by the option mock' };
  const handle = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
  if (handle === mocked) return { explain: () => 'by your handlers' };
  if (handle) return { implementation: { handle, source: 'user' }, explain: () => 'your handler' };
  const own = implementation.getImplementation(route);
  const explain = () => implementation.explain?.(route) ?? (own ? 'built-in handler' : 'no built-in handler');
  // Responses of the application have the success status of the contract. If the contract documents no such status, the operation is mocked.
  if (own && successStatus >= 300) return { explain: () => 'the contract documents no status of success' };
  return own ? { implementation: { ...own, source: 'application' }, explain } : { explain, isUnimplemented: true };
}

/** Throws a `UserError` if an operationId in `handlers` or `mock` is not in the contract. */
export function refuseUnknownOperations(
  { routes }: { readonly routes: readonly Operation[] },
  mock: MockedOperations,
  handlers: UserHandlers,
): void {
  const known = routes.map(({ operationId }) => operationId);
  const names = [...(typeof mock === 'boolean' ? [] : mock), ...Object.keys(handlers)];
  const unknown = names.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  throw new UserError(
    `the contract has no operation ${unknown.join(', ')}, which the handlers or --mock name: use ${known.join(', ')}`,
  );
}

/**
 * Loads the handlers of a user. `source`: an object with handlers, or the path of a module. The module exports functions with the names of operations, or such an
 * object as its default export. `version`: the signature of the file; a new signature loads the module again. Throws a `UserError` if the module can't be loaded or
 * exports no handlers.
 */
export async function loadHandlers(
  source: Readonly<Record<string, unknown>> | string | undefined,
  version: string | undefined,
): Promise<UserHandlers> {
  const path = typeof source === 'string' ? source : undefined;
  const handlers = path === undefined ? (source ?? {}) : getExportedHandlers(path, await loadModule(path, version));
  const entries = Object.entries(handlers as object).filter(([, handler]) => handler !== undefined);
  for (const [id, handler] of entries) {
    if (typeof handler !== 'function' && handler !== mocked) {
      throw new UserError(`${path ?? 'handlers'}: ${id} is not a handler: use a function or \`mocked\``);
    }
  }
  return Object.fromEntries(entries);
}

/** Loads a module again if `version` is new. Node caches ES modules by URL, and CommonJS modules by file. */
async function loadModule(path: string, version = ''): Promise<Record<string, unknown>> {
  const file = resolve(path);
  try {
    delete createRequire(import.meta.url).cache[file];
    return await import(`${pathToFileURL(file).href}?version=${version}`);
  } catch (cause) {
    const reason = describeFailure(cause, file);
    throw new UserError(`${path} can't be loaded as a module with handlers: ${reason}`, { cause });
  }
}

/** Returns the message of an error in a module, and the line of the error if it is known. Node does not report the line of a syntax error in an ES module. */
function describeFailure(thrown: unknown, file: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message, stack = '' } = thrown;
  const [, after = ''] = stack.split(basename(file));
  const line = /^(?:\?version=[^:\s]*)?:(\d+)/.exec(after)?.[1];
  if (line !== undefined) return `${message} (line ${line})`;
  return thrown instanceof SyntaxError ? `${message} (node --check ${file} shows where)` : message;
}

function getExportedHandlers(path: string, { default: own, ...named }: Record<string, unknown>): object {
  // From Node 23 on, a CommonJS module has this additional export.
  const { 'module.exports': _, ...others } = named;
  const handlers = { ...(typeof own === 'object' && !Array.isArray(own) ? own : {}), ...others };
  if (Object.keys(handlers).length > 0) return handlers;
  throw new UserError(
    `${path} exports no handlers: export functions named after operationIds, or an object with such functions as the default export`,
  );
}
