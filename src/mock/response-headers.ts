import type { Contract } from '../openapi/contract.ts';
import type { DocumentedHeader, Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { formatHeader } from '../util/format-header.ts';
import { toSeed } from '../util/random.ts';
import type { ResponsePreferences } from './choose-response.ts';
import type { GeneratorOptions } from './place.ts';
import { getMethodsAtPath, setStatusHeaders } from './status-problem.ts';

/** The parts of a response on which its headers depend. */
interface HeaderInput {
  readonly status: number;
  readonly example: Example | undefined;
  readonly preferences: Pick<ResponsePreferences, 'seed'>;
}

/** Returns a valid value for the schema at a JSON Pointer. */
type GenerateValue = (schema: string, options: Omit<GeneratorOptions, 'omitsOptional'>) => unknown;

/** Returns the headers of a response: the documented headers that have an example or are required, `Allow` for a 405, and `Retry-After` for a 429 or 503. */
export function createHeaders(
  contract: Contract,
  generate: GenerateValue,
  documented: readonly DocumentedHeader[],
  input: HeaderInput & { readonly route: Route },
): Readonly<Record<string, string>> {
  const { status, route } = input;
  const headers = createDocumentedHeaders(generate, documented, input);
  if (status < 400) return headers;
  return setStatusHeaders(
    contract,
    { status, headers },
    { headers: documented, methods: getMethodsAtPath(contract, route) },
  );
}

/** Returns the documented headers that have an example, and the required headers. */
export function createDocumentedHeaders(
  generate: GenerateValue,
  headers: readonly DocumentedHeader[],
  { status, example, preferences }: HeaderInput,
): Readonly<Record<string, string>> {
  const entries = headers.flatMap(({ name, isRequired: isAlwaysRequired, schema, examples }) => {
    // A client can't follow a redirect without `Location`.
    const isRequired = isAlwaysRequired || (name.toLowerCase() === 'location' && status >= 300 && status < 400);
    const own =
      examples.find((candidate) => candidate.name === undefined || candidate.name === example?.name) ??
      (isRequired ? examples[0] : undefined);
    if (own?.value !== undefined) return [[name, formatHeader(own.value)]];
    if (own || !isRequired || schema === undefined) return [];
    const seed = preferences.seed ?? toSeed(name);
    return [[name, formatHeader(generate(schema, { seed, query: {}, usesExamples: true }))]];
  });
  return Object.fromEntries(entries);
}
