import type { Document, Operation } from './document.ts';

/** A collection path with its item path, as they stand in the document. */
export interface Resource {
  readonly collectionPath: string;
  readonly itemPath: string;
  /** The name of the last path parameter. */
  readonly idName: string;
  readonly list?: Operation;
  readonly create?: Operation;
  readonly read?: Operation;
  readonly replace?: Operation;
  readonly update?: Operation;
  readonly remove?: Operation;
}

/** A path that ends with a parameter; `.json` may follow. */
const ITEM_PATH = /^(.*)\/\{([^{}/]+)\}(\.[a-z]+)?\/?$/;

/** Finds the resources of a document by its paths only: a path that ends with a parameter, whose prefix is a path too. */
export function findResources({ operations }: Document): readonly Resource[] {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const find = (path: string, method: string) => operations.find((one) => one.path === path && one.method === method);
  return paths.flatMap((itemPath) => {
    const [, prefix, idName, extension = ''] = ITEM_PATH.exec(itemPath) ?? [];
    const collectionPath = paths.find((path) => [`${prefix}${extension}`, prefix, `${prefix}/`].includes(path));
    if (!collectionPath || idName === undefined) return [];
    const replace = find(itemPath, 'PUT');
    const update = find(itemPath, 'PATCH') ?? (replace ? undefined : find(itemPath, 'POST'));
    const parts = {
      list: find(collectionPath, 'GET'),
      create: find(collectionPath, 'POST'),
      read: find(itemPath, 'GET'),
      replace,
      update,
      remove: find(itemPath, 'DELETE'),
    };
    const present = Object.fromEntries(Object.entries(parts).filter(([, operation]) => operation !== undefined));
    return [{ collectionPath, itemPath, idName, ...present }];
  });
}

/** Returns the collection and item operations of a resource. */
export function resourceOperations(resource: Resource): readonly Operation[] {
  const { list, create, read, replace, update, remove } = resource;
  return [list, create, read, replace, update, remove].filter((operation) => operation !== undefined);
}
