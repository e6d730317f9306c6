import * as cart from './cart.ts';
import * as catalogue from './catalogue.ts';
import type { Handlers } from './handler.ts';
import * as orders from './orders.ts';
import * as reset from './reset.ts';

/** The handlers of all operations. The keys are operationIds. TypeScript reports an error if an operation of the contract has no handler. */
export const handlers: Handlers = { ...catalogue, ...cart, ...orders, ...reset };
