import * as cart from './cart.ts';
import * as catalogue from './cart.ts';
import * as orders from './cart.ts';
import * as reset from './cart.ts';
import type { Handlers } from './handler.ts';

/**
 * The handlers of all operations.
 * The keys are operationIds.
 * TypeScript reports an error if an operation of the contract has no handler.
 */
export const handlers: Handlers = { ...catalogue, ...cart, ...orders, ...reset };
