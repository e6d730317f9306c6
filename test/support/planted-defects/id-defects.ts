import type { OperationId } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import type { Forward, ProxyRequest } from './proxy.ts';
import { getPath, parseBody, replaceBody, respondInstead } from './tamper.ts';

/** The paths of the lists with the ids of an operation, and the name of the id in them. */
const LISTS = {
  addCartItem: ['/api/products', 'id'],
  updateCartItem: ['/api/cart-items', 'productId'],
  removeCartItem: ['/api/cart-items', 'productId'],
  getOrder: ['/api/orders', 'id'],
} as const;

/** Returns the id in a list that differs from this one only in letter case. */
async function knownId(
  request: ProxyRequest,
  pass: Forward,
  [target, name]: readonly [string, string],
  id: string,
): Promise<string> {
  const headers = request.headers.filter(([header]) => !/^(content-|transfer-|expect)/i.test(header));
  const list = parseBody(await pass({ method: 'GET', target, headers, body: Buffer.alloc(0) }));
  const ids: readonly string[] = list.map((entry: Record<string, string>) => entry[name]);
  return ids.find((one) => one.toLowerCase() === id.toLowerCase()) ?? id;
}

/** Finds the resource of an id in the path without regard to letter case. */
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

/** Reads the ids in a body without regard to letter case. */
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

/** Defects of ids that are compared without regard to letter case. */
export const idDefects: readonly Defect[] = [
  inPath('updateCartItem'),
  inPath('removeCartItem'),
  inPath('getOrder'),
  inBody('addCartItem', 'productId', LISTS.addCartItem),
];
