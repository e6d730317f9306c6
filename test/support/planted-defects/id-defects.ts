import type { OperationId } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import type { Forward, ProxyRequest } from './proxy.ts';
import { getPath, parseBody, replaceBody, respondInstead } from './tamper.ts';

/** For each operation with an id: the path of the list that contains all valid ids, and the name of the property with the id. */
const LISTS = {
  addCartItem: ['/api/products', 'id'],
  updateCartItem: ['/api/cart-items', 'productId'],
  removeCartItem: ['/api/cart-items', 'productId'],
  getOrder: ['/api/orders', 'id'],
} as const;

/**
 * Returns the id in a list that the server takes for `id`. Returns `id` if there is none. `target` is the path of the list, and `name` is the
 * property with the id.
 */
async function knownId(
  request: ProxyRequest,
  pass: Forward,
  [target, name]: readonly [string, string],
  id: string,
  isSame: (one: string, id: string) => boolean = isSameIgnoringCase,
): Promise<string> {
  const headers = request.headers.filter(([header]) => !/^(content-|transfer-|expect)/i.test(header));
  const list = parseBody(await pass({ method: 'GET', target, headers, body: Buffer.alloc(0) }));
  const ids: readonly string[] = list.map((entry: Record<string, string>) => entry[name]);
  return ids.find((one) => isSame(one, id)) ?? id;
}

function isSameIgnoringCase(one: string, id: string): boolean {
  return one.toLowerCase() === id.toLowerCase();
}

/** Creates a defect: the operation ignores the letter case of the id in the path. */
function inPath(operationId: Exclude<keyof typeof LISTS, 'addCartItem'>): Defect {
  return {
    name: `compares the ids of ${operationId} regardless of letter case`,
    operationId,
    tamper: respondInstead(operationId, isAny, async (request, pass) => {
      const id = getPath(request.target).split('/').at(-1) ?? '';
      const known = await knownId(request, pass, LISTS[operationId], id);
      return pass({ ...request, target: request.target.replace(id, known) });
    }),
  };
}

const isAny = () => true;

/** Creates a defect: the operation accepts an id with other characters at its end. */
function byPrefix(operationId: Exclude<keyof typeof LISTS, 'addCartItem'>): Defect {
  return {
    name: `compares the ids of ${operationId} by their start`,
    operationId,
    tamper: respondInstead(operationId, isAny, async (request, pass) => {
      const id = getPath(request.target).split('/').at(-1) ?? '';
      const known = await knownId(request, pass, LISTS[operationId], id, (one, other) => other.startsWith(one));
      return pass({ ...request, target: request.target.replace(id, known) });
    }),
  };
}

/** Creates a defect: the operation ignores the letter case of an id in the body. */
function inBody(operationId: OperationId, name: string, list: readonly [string, string]): Defect {
  return {
    name: `compares the ${name} of ${operationId} regardless of letter case`,
    operationId,
    tamper: respondInstead(operationId, isAny, async (request, pass) => {
      const body = parseBody(request);
      const id = body?.[name];
      if (typeof id !== 'string') return pass(request);
      const known = await knownId(request, pass, list, id);
      return pass(known === id ? request : replaceBody(request, { ...body, [name]: known }));
    }),
  };
}

/** Defects: an operation takes one id for another. */
export const idDefects: readonly Defect[] = [
  inPath('updateCartItem'),
  inPath('removeCartItem'),
  inPath('getOrder'),
  byPrefix('updateCartItem'),
  byPrefix('removeCartItem'),
  byPrefix('getOrder'),
  inBody('addCartItem', 'productId', LISTS.addCartItem),
];
