// Compiles the contracts of the packaged server into dist/compiled: their documents, and the code of their validators. The server then parses no YAML and
// compiles no schema at its start. The build runs this tool. The server uses a compiled contract only if the contract file has not changed since
// (`hashContract`).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _, Ajv, type Options, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'vite';
import { ajvOptions, compileAt, createContractAjv, extendAjv, removeData } from '../src/openapi/ajv.ts';
import {
  type CompiledDocuments,
  hashContract,
  type ValidatorCode,
  type ValidatorGroup,
} from '../src/openapi/compiled-contract.ts';
import { createViews, getContractName } from '../src/openapi/contract.ts';
import { type ContractOptions, createDocuments } from '../src/openapi/contract-documents.ts';
import { type Document, readContract } from '../src/openapi/document.ts';
import { createBackend, createParameterAjv } from '../src/openapi/openapi-backend.ts';
import { getRoutes, type Route } from '../src/openapi/routes.ts';
import { FileAccess } from '../src/openapi/source-files.ts';
import { getControlOptions } from '../src/server/control.ts';
import { shop } from '../src/shop/application.ts';
import { shopContract, stateOptions } from '../src/shop/contract.ts';
import { ownDocument } from '../src/shop/own-document.ts';
import { collections } from '../src/shop/state.ts';

/** The generated code of validators by group: `request` has the validators of request bodies. */
type Groups = Readonly<Partial<Record<ValidatorGroup, ValidatorCode>>>;

/** Writes the compiled contracts of the packaged server to a folder. */
export function compileContracts(folder: string): void {
  compileContract(folder, { path: shop.contractFile, strict: false });
  // The server validates all responses of the control API with the closed schemas, which forbid undocumented properties.
  compileContract(folder, getControlOptions(collections), ['parameters', 'request', 'closed']);
  const { document: normalized, view } = shopContract;
  const schemas = Object.values(collections).map(({ schema }) => `/components/schemas/${schema}`);
  const groups = { state: compileSchemas(view(), schemas, stateOptions) };
  writeContract(join(folder, hashContract(JSON.stringify(ownDocument))), { document: ownDocument, normalized }, groups);
}

function compileContract(folder: string, options: ContractOptions, groups?: readonly ValidatorGroup[]): void {
  const { path } = options;
  const text = readContract(path);
  const { documents } = createDocuments({ path, bytes: Buffer.from(text), reader: new FileAccess(path) }, options);
  const all = Object.entries(compileGroups(documents.normalized, text, options.strict));
  const used = all.filter(([group]) => groups?.includes(group as ValidatorGroup) ?? true);
  writeContract(join(folder, getContractName(text, options)), documents, Object.fromEntries(used));
}

function writeContract(folder: string, documents: CompiledDocuments, groups: Groups): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'documents.json'), JSON.stringify(documents));
  for (const [group, code] of Object.entries(groups))
    writeFileSync(join(folder, `${group}.json`), JSON.stringify(code));
}

/** Compiles the schemas of all requests and responses. */
function compileGroups(normalized: Document, text: string, strict: boolean): Groups {
  const routes = getRoutes(normalized);
  const views = createViews(normalized, text, strict);
  const responses = routes.flatMap(getResponseSchemas);
  return {
    parameters: compileParameters(normalized, routes),
    request: compileSchemas(
      views.request(),
      routes.flatMap(({ bodyMedia }) => getSchemas(bodyMedia)),
    ),
    open: compileSchemas(views.open(), responses),
    closed: compileSchemas(views.closed(), responses),
  };
}

function getResponseSchemas({ responses }: Route): readonly string[] {
  return responses.flatMap(({ media, headers }) => [...getSchemas(media), ...getSchemas(headers)]);
}

function getSchemas(media: Route['bodyMedia'] | Route['responses'][number]['headers']): readonly string[] {
  return Object.values(media).flatMap(({ schema }) => schema ?? []);
}

/** Returns the code of a validator for each schema at one of the JSON Pointers. */
function compileSchemas(document: Document, pointers: readonly string[], options: Options = {}): ValidatorCode {
  const ajv = createContractAjv(removeData(document), { ...options, ...sourceOptions });
  return toCode(ajv, new Map(pointers.map((pointer) => [pointer, compileAt(ajv, pointer)])));
}

/** Returns the code of the validators that openapi-backend creates for parameters. */
function compileParameters(document: Document, routes: readonly Route[]): ValidatorCode {
  let ajv: Ajv | undefined;
  const backend = createBackend(document, {
    ajvOpts: { ...ajvOptions, ...sourceOptions },
    customizeAjv(_own, options) {
      // All operations share an ajv instance, so that their validators share code.
      ajv ??= extendAjv(createParameterAjv(document, options));
      return ajv;
    },
  });
  const compiled = new Map<string, ValidateFunction>();
  for (const { operationId } of routes) {
    const validators = backend.getParameterValidators(operationId);
    if (validators.length !== 1)
      throw new Error(`${operationId} has ${validators.length} parameter validators, but must have 1`);
    for (const validate of validators) compiled.set(operationId, validate);
  }
  return toCode(ajv ?? new Ajv(sourceOptions), compiled);
}

/** Options that make ajv keep the source code of validators. The code refers to the formats by the variable `formats`. */
const sourceOptions: Options = { code: { ...ajvOptions.code, optimize: true, source: true, formats: _`formats` } };

/**
 * Returns the code of each validator. Each validator is independent of the others, so that a server compiles only the validators that it needs.
 */
function toCode(ajv: Ajv, validators: ReadonlyMap<string, ValidateFunction>): ValidatorCode {
  const entries = [...validators].map(([key, validate]) => {
    const code = standalone.default(ajv, validate).replace('"use strict";', '');
    return [key, minifyBody(`"use strict";const module={};${code};return module.exports;`)];
  });
  return Object.fromEntries(entries);
}

/** Minifies the body of a function. Names that it does not declare, such as `formats`, stay. */
function minifyBody(body: string): string {
  const [start, end] = ['globalThis.validator=function(){', '};'];
  const { code, errors } = minifySync('validator.js', `${start}${body}${end}`);
  if (errors.length > 0 || !code.startsWith(start) || !code.endsWith(end))
    throw new Error(`A validator can't be minified: ${errors[0]?.message ?? code.slice(0, 100)}`);
  return code.slice(start.length, -end.length);
}

if (process.argv[2] !== undefined) compileContracts(process.argv[2]);
