import type { Document } from '../openapi/document.ts';
import { getPackageFile } from '../package-file.ts';
import contractJson from './contract.json' with { type: 'json' };

/**
 * The OpenAPI document of the shop.
 * `npm run types` generates `contract.json` from `openapi.yaml`, without descriptions and examples.
 */
export const ownDocument = contractJson as unknown as Document;

/** The path of the complete document. */
export const contractFile = getPackageFile('openapi.yaml');

const operations = new Set(
  Object.entries(contractJson.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  ),
);

/** Returns whether an operation of a contract has the operationId, the method and the path of one of the shop. */
export function isShopOperation(operation: {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}): boolean {
  return operations.has(`${operation.operationId} ${operation.method} ${operation.path}`);
}
