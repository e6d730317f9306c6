import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BoundApplication, type Handle, type Implementation, mocked, type Operation } from '../application.ts';

/** Handlers, or operations to mock, that do not fit the contract: `message` says which, and what would fit. */
export class HandlersError extends Error {
  override readonly name = 'HandlersError';
}

/** Handlers of a user, by operationId. */
export type UserHandlers = Readonly<Record<string, Handle | typeof mocked>>;

/** The implementations of the operations of a contract. */
export interface HandlerRegistry {
  /** Returns the implementation of an operation; undefined if it is mocked. */
  getImplementation(operation: Operation): Implementation | undefined;
  /** Whether the application implements an operation, even if it is mocked or a user's handler replaces it. */
  isImplemented(operation: Operation): boolean;
}

/** The operations to mock: all of them, or those with these ids. */
export type MockedOperations = boolean | readonly string[];

/** Registers handlers: operations to mock have none, then come the user's handlers, then those of the application. */
export function createHandlerRegistry(
  bound: BoundApplication,
  mock: MockedOperations,
  handlers: UserHandlers,
): HandlerRegistry {
  const isMocked = (id: string) => mock === true || (mock !== false && mock.includes(id));
  return {
    isImplemented: (operation) => bound.getImplementation(operation) !== undefined,
    getImplementation(operation) {
      const id = operation.operationId;
      if (isMocked(id)) return undefined;
      const handle = Object.hasOwn(handlers, id) ? handlers[id] : undefined;
      if (handle === mocked) return undefined;
      if (handle) return { handle, source: 'user' };
      const own = bound.getImplementation(operation);
      return own && { ...own, source: 'application' };
    },
  };
}

/** Throws a `HandlersError` if handlers or `mock` name an operation that the contract does not have. */
export function refuseUnknownOperations(
  { routes }: { readonly routes: readonly Operation[] },
  mock: MockedOperations,
  handlers: UserHandlers,
): void {
  const known = routes.map(({ operationId }) => operationId);
  const names = [...(typeof mock === 'boolean' ? [] : mock), ...Object.keys(handlers)];
  const unknown = names.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  throw new HandlersError(
    `the contract has no operation ${unknown.join(', ')}, which the handlers or --mock name: use ${known.join(', ')}`,
  );
}

/**
 * Loads the handlers of a user: those in the options, or the exports of a module, by name or as its default. `version` distinguishes the contents of the
 * module's file: each is loaded once. Throws a `HandlersError` if there are no handlers.
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
      throw new HandlersError(`${path ?? 'handlers'}: ${id} is not a handler: use a function or \`mocked\``);
    }
  }
  return Object.fromEntries(entries);
}

/** Loads one version of a module: Node caches ES modules by their whole URL, and CommonJS modules by their file. */
async function loadModule(path: string, version = ''): Promise<Record<string, unknown>> {
  const file = resolve(path);
  try {
    delete createRequire(import.meta.url).cache[file];
    return await import(`${pathToFileURL(file).href}?version=${version}`);
  } catch (cause) {
    const reason = describeFailure(cause, file);
    throw new HandlersError(`${path} can't be loaded as a module with handlers: ${reason}`, { cause });
  }
}

/** Returns the message of an error in a module, with its line if it is known: Node does not report the line of a syntax error in an ES module. */
function describeFailure(thrown: unknown, file: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message, stack = '' } = thrown;
  const [, after = ''] = stack.split(basename(file));
  const line = /^(?:\?version=[^:\s]*)?:(\d+)/.exec(after)?.[1];
  if (line !== undefined) return `${message} (line ${line})`;
  return thrown instanceof SyntaxError ? `${message} (node --check ${file} shows where)` : message;
}

function getExportedHandlers(path: string, { default: own, ...named }: Record<string, unknown>): object {
  // What a CommonJS module exports has this name beside its own, from Node 23 on.
  const { 'module.exports': _, ...others } = named;
  const brought = { ...(typeof own === 'object' && !Array.isArray(own) ? own : {}), ...others };
  if (Object.keys(brought).length > 0) return brought;
  throw new HandlersError(
    `${path} exports no handlers: export functions named after operationIds, or an object with such functions as the default export`,
  );
}
