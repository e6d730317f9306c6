import { code } from './markdown.ts';

/** The keywords of a JSON Schema that the documentation shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string | undefined;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/**
 * Returns a function that formats the type of a schema as Markdown, such as `list of string`. A reference to one of `schemas` becomes a link to the heading of
 * this schema.
 */
export function createTypeFormatter(schemas: Readonly<Record<string, Schema>>): (schema: Schema) => string {
  const formatType = (schema: Schema): string => {
    if (schema.$ref !== undefined) return formatReference(schema.$ref);
    if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(' or ');
    if (schema.anyOf !== undefined) return schema.anyOf.map(formatType).join(' or ');
    if (schema.type === undefined) return 'any JSON value';
    return [schema.type]
      .flat()
      .map((type) => formatNamed(type, schema))
      .join(' or ');
  };

  function formatNamed(type: string, schema: Schema): string {
    if (type === 'array') return `list of ${schema.items === undefined ? 'any JSON value' : formatType(schema.items)}`;
    if (type === 'object') return formatObject(schema);
    return formatScalar(type, schema);
  }

  function formatObject({ properties, additionalProperties }: Schema): string {
    if (properties !== undefined) return `object with ${Object.keys(properties).map(code).join(', ')}`;
    return typeof additionalProperties === 'object' ? `object of ${formatType(additionalProperties)}` : 'object';
  }

  /** Returns a link for a reference to a schema. For a reference to a property of a schema, returns the type of the property. */
  function formatReference(reference: string): string {
    const [name = '', , property] = reference.replace('#/components/schemas/', '').split('/');
    const target = property === undefined ? undefined : schemas[name]?.properties?.[property];
    return target === undefined ? `[${name}](#${name.toLowerCase()})` : formatType(target);
  }

  return formatType;
}

function formatScalar(type: string, { format, minimum, maximum, maxLength }: Schema): string {
  const name = format === undefined || format === 'int64' ? type : `${type} (${format})`;
  if (minimum !== undefined && maximum !== undefined) return `${name} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${name} from ${minimum}`;
  return maxLength === undefined ? name : `${name}, at most ${maxLength} characters`;
}
