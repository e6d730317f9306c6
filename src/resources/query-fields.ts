import type { Input } from '../application.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import type { SchemaReader } from './schema-reader.ts';

/** A query parameter, or a property of an object parameter that a query contains as a parameter of its own. */
export interface QueryField {
  /** The name in the query, such as `size` or `page[size]`. */
  readonly name: string;
  /** The names from which the meaning is derived, the best first: `page[size]` and `size`. */
  readonly labels: readonly string[];
  /** The JSON Pointer of the schema. */
  readonly schema: string;
  readonly description: string;
  /** Whether the field is a property of the object that Spring calls `Pageable`, whose pages begin at 0. */
  readonly isPageable: boolean;
}

/** Returns the query parameters of an operation. An object parameter is replaced by its properties. */
export function listQueryFields(reader: SchemaReader, { parameters }: Route): readonly QueryField[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== 'query') return [];
    const { name, pointer } = parameter;
    const schema = `${pointer}/schema`;
    const properties = isObject(parameter) ? [...reader.getProperties(schema)] : [];
    if (properties.length === 0) {
      const [, inner] = /^filters?\[(\w+)\]$/i.exec(name) ?? [];
      const description = String(getNode(reader.document, `${pointer}/description`) ?? '');
      return [{ name, labels: inner === undefined ? [name] : [name, inner], schema, description, isPageable: false }];
    }
    const target = getNode(reader.document, `${schema}/$ref`);
    const isPageable = [name, String(target ?? '')].some((text) => normalizeName(text).endsWith('pageable'));
    return properties.map(([property, inner]) => ({
      name: getFieldName(parameter, property),
      labels: [`${name}[${property}]`, property],
      schema: inner,
      description: '',
      isPageable,
    }));
  });
}

function isObject({ shape }: Parameter): boolean {
  return shape === 'fields' || shape === 'deep object';
}

/** Returns the name under which a query has a property of an object parameter. */
function getFieldName({ name, shape }: Parameter, property: string): string {
  return shape === 'fields' ? property : `${name}[${property}]`;
}

/**
 * Returns a query in which each object parameter is replaced by its properties: `{ pageable: { page: '1' } }` becomes
 * `{ page: '1' }`.
 */
export function flattenQuery({ parameters }: Route, query: Input['query']): Input['query'] {
  const objects = parameters.filter(
    (parameter) => parameter.in === 'query' && isObject(parameter) && isNode(query[parameter.name]),
  );
  if (objects.length === 0) return query;
  const names = objects.map(({ name }) => name);
  const rest = Object.entries(query).filter(([name]) => !names.includes(name));
  const inner = objects.flatMap((parameter) =>
    Object.entries(query[parameter.name] as unknown as Input['query']).map(
      ([property, value]) => [getFieldName(parameter, property), value] as const,
    ),
  );
  return Object.fromEntries([...rest, ...inner]);
}
