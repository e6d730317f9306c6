import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyHandler, mocked, type OwnHandlers } from './handler.ts';
import { handlers } from './index.ts';

/** Handlers, or what is mocked, that don't fit the contract: `message` says what, and what would. */
export class CastingFault extends Error {
  override readonly name = 'CastingFault';
}

/** An operation, as far as is asked who does it. */
export interface Part {
  readonly operationId: string;
  readonly method: string;
  /** The template of its path. */
  readonly path: string;
}

/** Who does an operation. */
export interface Doer {
  readonly handle: AnyHandler;
  /** Whether it is the shop's own handler, whose answers depend on nothing but what it asks of the shop: a team's own may have other sources. */
  readonly isOurs: boolean;
}

/** Who does the operations of a contract. */
export interface Casting {
  /** Who does an operation; undefined where it is mocked. */
  doerOf(part: Part): Doer | undefined;
  /** Whether it is an operation of the shop, by its id, method and path. */
  isOurs(part: Part): boolean;
  /** Throws a `CastingFault` where an operation is named that a contract doesn't have. */
  check(contract: { readonly routes: readonly Part[] }): void;
}

/** What the casting is made by. */
export interface CastingParts {
  /** The contract that the shop's handlers are written for. */
  readonly shop: { readonly routes: readonly Part[] };
  /** What is mocked: everything, or operations by their ids. */
  readonly mock: boolean | readonly string[];
  /** A team's own handlers. */
  readonly own: Readonly<Record<string, AnyHandler | typeof mocked>>;
}

/** Casts each operation: what is to be mocked is; else a team's own handler does it, else the shop's, which does what is its operation by id, method and path. */
export function castingOf({ shop, mock, own }: CastingParts): Casting {
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
        throw new CastingFault(`the contract has no operation ${unknown.join(', ')}: it has ${known.join(', ')}`);
      }
    },
  };
}

/** A team's own handlers: those given, or those that a module exports, by their names or as its default. Throws a `CastingFault` where it has none. */
export async function ownHandlers(given: OwnHandlers | string | undefined): Promise<CastingParts['own']> {
  const path = typeof given === 'string' ? given : undefined;
  const brought = path === undefined ? (given ?? {}) : exported(path, await loaded(path));
  const entries = Object.entries(brought as object).filter(([, handler]) => handler !== undefined);
  for (const [id, handler] of entries) {
    if (typeof handler !== 'function' && handler !== mocked) {
      throw new CastingFault(`${path ?? 'handlers'}: ${id} is no function, which a handler has to be`);
    }
  }
  return Object.fromEntries(entries);
}

async function loaded(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw new CastingFault(`${path} can't be loaded as a module with handlers: ${(cause as Error).message}`, { cause });
  }
}

function exported(path: string, { default: own, ...named }: Record<string, unknown>): object {
  const brought = { ...(typeof own === 'object' && !Array.isArray(own) ? own : {}), ...named };
  if (Object.keys(brought).length > 0) return brought;
  throw new CastingFault(
    `${path} exports no handlers: export functions by the ids of their operations, or an object with these as the default`,
  );
}
