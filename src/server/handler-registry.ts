import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ContractImplementation,
  type Implementation,
  mocked,
  type Operation,
  type UserHandlers,
} from '../application.ts';
import type { Route } from '../openapi/routes.ts';
import { YOUR_HANDLER } from '../util/describe-decision.ts';
import { UserError } from '../util/issue.ts';

/** Which operations are mocked: `true` for all operations, `false` for none, or a list of operationIds. */
type MockedOperations = boolean | readonly string[];

/**
 * The implementation that was chosen for an operation, and the reason.
 * `implementation` is undefined if the operation is mocked.
 */
interface ChosenImplementation {
  readonly implementation?: Implementation;
  /** Whether the operation is mocked because it has no handler. False if the user has chosen to mock it. */
  readonly isUnimplemented?: boolean;
  /** Returns a short text that says what the handler does, or why the operation is mocked. */
  readonly explain: () => string;
}

/**
 * Chooses the implementation of an operation: first the option `mock`, then the handler of the user, then the handler
 * of the application.
 * Without any of them, the operation is mocked.
 */
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
  if (handle) return { implementation: { handle, source: 'user' }, explain: () => YOUR_HANDLER };
  const own = implementation.getImplementation(route);
  const explain = () => implementation.explain?.(route) ?? (own ? 'built-in handler' : 'no built-in handler');
  // The handlers of the application respond with the success status of the contract.
  // If the contract documents no success status, the operation is mocked.
  if (own && successStatus >= 300) return { explain: () => 'the contract documents no success status' };
  return own ? { implementation: { ...own, source: 'application' }, explain } : { explain, isUnimplemented: true };
}

/**
 * The options that contain operationIds.
 * `file`: the path of the module with the handlers; undefined if the handlers do not come from a file.
 */
interface NamedOperations {
  readonly mock: MockedOperations;
  readonly handlers: UserHandlers;
  readonly file: string | undefined;
}

/** Throws a `UserError` if an operationId in `handlers` or in a list `mock` is not in the contract. */
export function refuseUnknownOperations(
  { routes }: { readonly routes: readonly Operation[] },
  { mock, handlers, file }: NamedOperations,
): void {
  const known = routes.map(({ operationId }) => operationId);
  const findUnknown = (names: readonly string[]) => names.filter((id) => !known.includes(id));
  const unmockable = findUnknown(typeof mock === 'boolean' ? [] : mock);
  const unknown = [...unmockable, ...findUnknown(Object.keys(handlers))];
  if (unknown.length === 0) return;
  const names = unknown.join(', ');
  const others = known.join(', ');
  throw new UserError(
    file === undefined || unmockable.length > 0
      ? `the contract has no operation ${names}: correct the name in the handlers or in --mock. The operations are ${others}`
      : `${file} exports ${names}, but the contract has no operation ${names}: export only functions with these names: ${others}`,
  );
}

/**
 * Loads the handlers of a user.
 * `source`: an object with handlers by operationId, or the path of a module.
 * The module exports each handler by name, or all handlers as the default export.
 * `version`: the signature of the module file; the module is loaded again if the signature is new.
 * Throws a `UserError` if the module can't be loaded, exports no handlers, or exports something that is not a handler.
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

/**
 * Loads a module.
 * Loads it again if `version` is new: `version` becomes part of the URL, because Node caches ES modules by URL.
 * A CommonJS module is deleted from Node's cache.
 */
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

/**
 * Describes an error that a module threw while it was loaded, with the line if it is known.
 * Node does not report the line of a syntax error in an ES module.
 * For this case, the text contains a command that prints the line.
 */
function describeFailure(thrown: unknown, file: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message, stack = '' } = thrown;
  const [missing] = /^Cannot find module '[^']*'/.exec(message) ?? [];
  if (missing?.includes(file)) return 'the file does not exist: check the path';
  const [, after = ''] = stack.split(basename(file));
  const line = /^(?:\?version=[^:\s]*)?:(\d+)/.exec(after)?.[1];
  if (line !== undefined) return `${message} (line ${line})`;
  return thrown instanceof SyntaxError ? `${message} (run node --check ${file} to see the line)` : message;
}

function getExportedHandlers(path: string, { default: own, ...named }: Record<string, unknown>): object {
  // Since Node 23, a CommonJS module has the additional export `module.exports`.
  const { 'module.exports': _, ...others } = named;
  const handlers = { ...(typeof own === 'object' && !Array.isArray(own) ? own : {}), ...others };
  if (Object.keys(handlers).length > 0) return handlers;
  throw new UserError(
    `${path} exports no handlers: export functions named after operationIds, or an object with such functions as the default export`,
  );
}
