import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Received, Values } from './clinic-types.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
}

export interface Laxness {
  readonly acceptsAnyDay: boolean;
  readonly roundsFees: boolean;
}

/** Creates the functions that read the bodies and the queries of requests, and validate them against a document. */
export function createClinicValidator(document: object, { acceptsAnyDay, roundsFees }: Laxness) {
  const ajv = new Ajv({ strict: false });
  const lists = new Ajv({ strict: false, coerceTypes: true });
  for (const one of [ajv, lists]) addFormats.default(one);
  if (acceptsAnyDay) ajv.addFormat('date', /^\d{4}-[01]\d-[0-3]\d$/);
  ajv.addSchema({ $id: 'clinic', ...document });
  const queries = new Map<string, ValidateFunction>();
  const { paths } = document as Document;
  for (const [path, item] of Object.entries(paths)) {
    const parameters = (item.get?.parameters ?? []).filter((one) => one.in === 'query');
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    queries.set(path, lists.compile({ type: 'object', properties }));
  }

  const readQuery = (path: string, query: URLSearchParams): Values | undefined => {
    const names = [...query.keys()];
    if (new Set(names).size < names.length) return undefined;
    const values = Object.fromEntries(query);
    return queries.get(path)?.(values) ? values : undefined;
  };

  const readBody = ({ headers, text }: Received, name: string) => {
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') return { status: 415 };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { status: 400 };
    }
    const checked = roundsFees && isObject(value) && typeof value.fee_cents === 'number' ? roundFee(value) : value;
    if (!ajv.validate(`clinic#/components/schemas/${name}`, checked)) return { status: 400 };
    const { properties } = (document as Document).components.schemas[name] ?? { properties: {} };
    const known = Object.keys(properties);
    const kept = Object.entries(checked as Values).filter(([property]) => known.includes(property));
    return { values: Object.fromEntries(kept) as Values };
  };

  return { readQuery, readBody };
}

function roundFee(value: Values): Values {
  return { ...value, fee_cents: Math.round(Number(value.fee_cents)) };
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
