import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyHandler, mocked, type OwnHandlers } from '../shop/operations/handler.ts';
import { handlers } from '../shop/operations/index.ts';

/** Handlers, or what is mocked, that don't fit the contract: `message` says what, and what would. */
export class HandlersError extends Error {
  override readonly name = 'HandlersError';
}

/** An operation, as far as is asked who does it. */
export interface Part {
  readonly operationId: string;
  readonly method: string;
  /** The template of its path. */
  readonly path: string;
}

/** Who does an operation. */
export interface RegisteredHandler {
  readonly handle: AnyHandler;
  /** Whether it is the shop's own handler, whose answers depend on nothing but what it asks of the shop: a team's own may have other sources. */
  readonly isOurs: boolean;
}

/** Who does the operations of a contract. */
export interface HandlerRegistry {
  /** Who does an operation; undefined where it is mocked. */
  doerOf(part: Part): RegisteredHandler | undefined;
  /** Whether it is an operation of the shop, by its id, method and path. */
  isOurs(part: Part): boolean;
  /** Throws a `HandlersError` where an operation is named that a contract doesn't have. */
  check(contract: { readonly routes: readonly Part[] }): void;
}

/** What the casting is made by. */
export interface HandlerRegistryParts {
  /** The contract that the shop's handlers are written for. */
  readonly shop: { readonly routes: readonly Part[] };
  /** What is mocked: everything, or operations by their ids. */
  readonly mock: boolean | readonly string[];
  /** A team's own handlers. */
  readonly own: Readonly<Record<string, AnyHandler | typeof mocked>>;
}

/** Casts each operation: what is to be mocked is; else a team's own handler does it, else the shop's, which does what is its operation by id, method and path. */
export function createHandlerRegistry({ shop, mock, own }: HandlerRegistryParts): HandlerRegistry {
  const shopParts = new Map(shop.routes.map((part) => [part.operationId, part]));
  const isOurs = ({ operationId, method, path }: Part) => {
    const part = shopParts.get(operationId);
    return part !== undefined && part.method === method && part.path === path;
  };
  const isMocked = (id: string) => mock === true || (mock !== false && mock.includes(id));
  return {
    isOurs,
    doerOf(part) {
      const id = part.operationId;
      if (isMocked(id)) return undefined;
      const brought = Object.hasOwn(own, id) ? own[id] : undefined;
      if (brought === mocked) return undefined;
      if (brought) return { handle: brought, isOurs: false };
      const handle = isOurs(part) ? (handlers[id as keyof typeof handlers] as AnyHandler | typeof mocked) : mocked;
      return handle === mocked ? undefined : { handle, isOurs: true };
    },
    check({ routes }) {
      const known = routes.map(({ operationId }) => operationId);
      const unknown = [...(typeof mock === 'boolean' ? [] : mock), ...Object.keys(own)].filter(
        (id) => !known.includes(id),
      );
      if (unknown.length > 0) {
        throw new HandlersError(
          `the contract has no operation ${unknown.join(', ')}, which the handlers or --mock name: it has ${known.join(', ')}`,
        );
      }
    },
  };
}

/**
 * A team's own handlers: those given, or those that a module exports, by their names or as its default. `version` tells one content of the module's file
 * from another: each is loaded once. Throws a `HandlersError` where there are no handlers.
 */
export async function loadHandlers(
  given: OwnHandlers | string | undefined,
  version: string | undefined,
): Promise<HandlerRegistryParts['own']> {
  const path = typeof given === 'string' ? given : undefined;
  const brought = path === undefined ? (given ?? {}) : exported(path, await loaded(path, version));
  const entries = Object.entries(brought as object).filter(([, handler]) => handler !== undefined);
  for (const [id, handler] of entries) {
    if (typeof handler !== 'function' && handler !== mocked) {
      throw new HandlersError(`${path ?? 'handlers'}: ${id} is no function, which a handler has to be`);
    }
  }
  return Object.fromEntries(entries);
}

/** Loads one version of a module: Node caches ES modules by their whole URL, and CommonJS modules by their file. */
async function loaded(path: string, version = ''): Promise<Record<string, unknown>> {
  const file = resolve(path);
  try {
    delete createRequire(import.meta.url).cache[file];
    return await import(`${pathToFileURL(file).href}?version=${version}`);
  } catch (cause) {
    const { message, place } = described(cause, file);
    throw new HandlersError(`${path} can't be loaded as a module with handlers: ${message}${place}`, { cause });
  }
}

/** What a module failed with, and the line where that is known: Node doesn't tell it of a syntax error in an ES module. */
function described(thrown: unknown, file: string): { readonly message: string; readonly place: string } {
  if (!(thrown instanceof Error)) return { message: String(thrown), place: '' };
  const { message, stack = '' } = thrown;
  const [, after = ''] = stack.split(basename(file));
  const line = /^(?:\?version=[^:\s]*)?:(\d+)/.exec(after)?.[1];
  if (line !== undefined) return { message, place: ` (line ${line})` };
  return { message, place: thrown instanceof SyntaxError ? ` (node --check ${file} shows where)` : '' };
}

function exported(path: string, { default: own, ...named }: Record<string, unknown>): object {
  // What a CommonJS module exports has this name beside its own, from Node 23 on.
  const { 'module.exports': _, ...others } = named;
  const brought = { ...(typeof own === 'object' && !Array.isArray(own) ? own : {}), ...others };
  if (Object.keys(brought).length > 0) return brought;
  throw new HandlersError(
    `${path} exports no handlers: export functions by the ids of their operations, or an object with these as the default`,
  );
}
