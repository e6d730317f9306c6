import { toPattern } from '../util/path-template.ts';
import { toSingular } from '../util/singular.ts';
import { isGeneralName } from './ids.ts';

/** A parameter in a path template, such as `{id}` in `/books/{id}`. The parameter identifies a resource. */
export interface PathParameter {
  /** The name of the parameter. */
  readonly parameter: string;
  /**
   * The name under which the pool stores known ids.
   * It contains the type of the resource: `bookId` for `{id}` in `/books/{id}`.
   */
  readonly poolName: string;
  /** The path template up to the parameter, without parameter names: `/books/{}`. */
  readonly path: string;
}

/** The file extension of a path such as `/things.json`. */
const FORMAT = /\.(?:json|xml)$/;

/** Returns the parameters of a path template in their order. */
export function getPathParameters(path: string): readonly PathParameter[] {
  return [...path.matchAll(/\{(.*?)\}/g)].map(([text, parameter = ''], index, matches) => {
    const end = (matches[index]?.index ?? 0) + text.length;
    return { parameter, poolName: getPoolName(parameter, path), path: toPattern(path.slice(0, end)) };
  });
}

/**
 * Returns the last parameter of a path such as `/things/{id}` or `/things/{id}.json`.
 * Returns undefined if the path does not end with a parameter.
 */
export function getItemParameter(path: string): PathParameter | undefined {
  return path.replace(FORMAT, '').endsWith('}') ? getPathParameters(path).at(-1) : undefined;
}

/**
 * Adds the type of the resource to the name of a path parameter: the parameter `id` of `/books/{id}` becomes `bookId`.
 * Returns a name that already contains a type, such as `bookId`, unchanged.
 */
export function getPoolName(name: string, path: string): string {
  if (!isGeneralName(name)) return name;
  const collectionPath = path.slice(0, Math.max(0, path.indexOf(`{${name}}`)));
  return toEntryName(getCollectionName(collectionPath)) + name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * Returns whether a path identifies an item of a collection.
 * For example, `/things/{id}` identifies an item of `/things`.
 */
export function isItemPath(path: string, collectionPath: string): boolean {
  const collection = collectionPath.replace(FORMAT, '').replace(/\/$/, '');
  return path.replace(FORMAT, '').replace(/\{[^/{}]+\}$/, '{}') === `${collection}/{}`;
}

/** Returns the last path segment that is not a parameter: `pets` for `/owners/{id}/pets/{petId}`. */
export function getCollectionName(path: string): string {
  const name = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
  return name.replace(FORMAT, '');
}

/** Returns the singular of a collection name in camel case: `deliveryOption` for `delivery-options`. */
export function toEntryName(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return toSingular(camel);
}
