import { execFileSync } from 'node:child_process';
import type { ErrorObject } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  editCompiledContract,
  findCompiledContract,
  hashContract,
  type ValidatorGroup,
} from '../../src/openapi/compiled-contract.ts';
import { createViews, getContractName } from '../../src/openapi/contract.ts';
import { createDocuments } from '../../src/openapi/contract-documents.ts';
import { readContract } from '../../src/openapi/document.ts';
import { createBackend } from '../../src/openapi/openapi-backend.ts';
import { getRoutes, type Route } from '../../src/openapi/routes.ts';
import { createSchemaValidator } from '../../src/openapi/schema-validator.ts';
import { FileAccess } from '../../src/openapi/source-files.ts';
import { getControlOptions } from '../../src/server/control.ts';
import { shopContract, stateOptions } from '../../src/shop/contract.ts';
import { ownDocument } from '../../src/shop/own-document.ts';
import { collections } from '../../src/shop/state.ts';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';

const FOLDER = projectFile('dist/compiled');

const contracts = [
  { title: "the shop's contract", options: { path: projectFile('openapi.yaml'), strict: false } },
  { title: 'the contract of the control API', options: getControlOptions(collections) },
].map(({ title, options }) => {
  const text = readContract(options.path);
  const { documents } = createDocuments(
    { path: options.path, bytes: Buffer.from(text), reader: new FileAccess(options.path) },
    options,
  );
  const compiled = findCompiledContract(getContractName(text, options), FOLDER);
  return { title, options, text, documents, compiled, routes: getRoutes(documents.normalized) };
});

describe.each(contracts)('The build precompiles $title:', ({ options, text, documents, compiled, routes }) => {
  const views = createViews(documents.normalized, text, options.strict);

  it('the documents are equal to those of the contract file', () => {
    expect(compiled?.documents).toEqual(documents);
  });

  it.each(['request', 'closed'] as const)('the group %s has every schema of the operations', (group) => {
    expect(new Set(Object.keys(compiled?.readCode(group) ?? {}))).toEqual(new Set(getSchemas(routes, group)));
  });

  it.each(getGroups(options.strict))('the validators %s return the same errors as ajv', (group) => {
    const validate = createSchemaValidator(views[group]);
    const pointers = Object.keys(compiled?.readCode(group) ?? {});
    expect(pointers).not.toEqual([]);
    const examples = routes.flatMap(getExamples);
    for (const pointer of pointers) {
      const isValid = compiled?.getValidator(group, pointer) ?? expect.fail(pointer);
      const own = examples.filter(({ schema }) => schema === pointer);
      for (const value of [...BASIC_VALUES, ...own.flatMap(({ value: example }) => createVariants(example))])
        expect(getErrors(isValid, value), pointer).toEqual(validate(pointer, value));
    }
  });

  it('the validators of parameters return the same errors as those of openapi-backend', () => {
    const backend = createBackend(documents.normalized);
    for (const { operationId, parameters } of routes) {
      const compiledValidator = compiled?.getValidator('parameters', operationId) ?? expect.fail(operationId);
      const [validator] = backend.getParameterValidators(operationId);
      for (const value of createParameterValues(parameters))
        expect(getErrors(compiledValidator, value), operationId).toEqual(getErrors(validator ?? expect.fail(), value));
    }
  });
});

describe('The precompiled contract of the control API, edited for other collections,', () => {
  const options = getControlOptions({ notes: { schema: 'Note', key: 'id' } });
  const text = readContract(options.path);
  const { documents } = createDocuments(
    { path: options.path, bytes: Buffer.from(text), reader: new FileAccess(options.path) },
    options,
  );
  const name = getContractName(text, options);
  const compiled = editCompiledContract(findCompiledContract(name, FOLDER) ?? expect.fail(name), options.edit);

  it('has the documents of the edited contract file', () => {
    expect(compiled.documents).toEqual(documents);
  });

  it.each(['request', 'closed'] as const)(
    'has the validators %s, except those of schemas with collections',
    (group) => {
      const validate = createSchemaValidator(createViews(documents.normalized, text, true)[group]);
      const all = Object.entries(compiled.readCode(group));
      const used = all.filter(([pointer]) => compiled.getValidator(group, pointer));
      expect(used.length).toBeLessThan(all.length);
      expect(used.filter(([, code]) => code.includes('deliveryOptions'))).toEqual([]);
      for (const [pointer] of used) {
        const isValid = compiled.getValidator(group, pointer) ?? expect.fail(pointer);
        for (const value of [{}, { unknown: 1 }, []])
          expect(getErrors(isValid, value), pointer).toEqual(validate(pointer, value));
      }
    },
  );
});

describe('The build precompiles the state of the shop:', () => {
  const compiled = findCompiledContract(hashContract(JSON.stringify(ownDocument)), FOLDER);

  it('the normalized document is equal', () => {
    expect(compiled?.documents.normalized).toEqual(shopContract.document);
  });

  it('the validators return the same errors as ajv, and add the same default values', () => {
    const validate = createSchemaValidator(shopContract.view, { ajv: stateOptions });
    const entries = Object.values<readonly object[]>(defaults).flatMap((list) => list.slice(0, 2));
    for (const { schema } of Object.values(collections)) {
      const pointer = `/components/schemas/${schema}`;
      const compiledValidator = compiled?.getValidator('state', pointer) ?? expect.fail(pointer);
      for (const value of [...BASIC_VALUES, ...entries.flatMap(createVariants)]) {
        const [one, other] = [structuredClone(value), structuredClone(value)];
        compiledValidator(one);
        expect([compiledValidator.errors ?? [], one], pointer).toEqual([validate(pointer, other), other]);
      }
    }
  });
});

describe('A contract that is not the compiled one', () => {
  it.each([
    ['has another text', (text: string) => getContractName(`${text}# changed\n`, { strict: false })],
    ['is strict', (text: string) => getContractName(text, { strict: true })],
    ['is edited', (text: string) => getContractName(text, { strict: false, edit: { key: 'x', edit: (same) => same } })],
  ])('is not served from the compiled form: it %s', (_title, getName) => {
    const text = readContract(projectFile('openapi.yaml'));
    expect(findCompiledContract(getContractName(text, { strict: false }), FOLDER)).toBeDefined();
    expect(findCompiledContract(getName(text), FOLDER)).toBeUndefined();
  });
});

describe('The built server', () => {
  it('starts and handles requests without ajv, openapi-backend and js-yaml', () => {
    const program = `
      import { createRequire } from 'node:module';
      const { createStorefront } = await import(${JSON.stringify(projectFile('dist/storefront.js'))});
      const server = await createStorefront();
      const statuses = [];
      for (const path of ['/api/products?search=ketle', '/api/cart-items?expand=product', '/_control/sandboxes'])
        statuses.push((await fetch(server.url + path)).status);
      const item = { productId: ${JSON.stringify(defaults.products[0]?.id)}, quantity: 11 };
      const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(item) };
      statuses.push((await fetch(server.url + '/api/cart-items', post)).status);
      await server.close();
      const files = Object.keys(createRequire(import.meta.url).cache);
      const loaded = files.filter((file) => /node_modules.(ajv.dist.(core|ajv)|openapi-backend|js-yaml)/.test(file));
      console.log(JSON.stringify({ statuses, loaded }));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ statuses: [200, 200, 200, 400], loaded: [] });
  });
});

/** Values of all types, valid or not. */
const BASIC_VALUES = [undefined, null, true, '', 'x', '1', 0, -1, 1.5, 1e300, 11, [], [null], [{}], {}, { unknown: 1 }];

/** Groups of validators for which `createViews` has a document. */
function getGroups(isControl: boolean): readonly ('request' | 'open' | 'closed')[] {
  return isControl ? ['request', 'closed'] : ['request', 'open', 'closed'];
}

function getSchemas(routes: readonly Route[], group: ValidatorGroup): readonly string[] {
  const media = routes.flatMap(({ bodyMedia, responses }) =>
    group === 'request'
      ? Object.values(bodyMedia)
      : responses.flatMap((response) => [...Object.values(response.media), ...response.headers]),
  );
  return media.flatMap(({ schema }) => schema ?? []);
}

/** Returns the examples of the bodies of an operation. */
function getExamples({ bodyMedia, responses }: Route) {
  const media = [bodyMedia, ...responses.map((response) => response.media)].flatMap((types) => Object.values(types));
  return media.flatMap(({ schema, examples }) => examples.map(({ value }) => ({ schema, value })));
}

/** Returns copies of a value in which one value inside is replaced or missing, or a property is added. Looks at the first entry of each list. */
function createVariants(value: unknown): readonly unknown[] {
  const others = [value, null, '', -1, 1.5, 'x'];
  if (typeof value !== 'object' || value === null) return others;
  if (Array.isArray(value))
    return [...others, [], ...createVariants(value[0]).map((entry) => [entry, ...value.slice(1)])];
  const changed = Object.entries(value).flatMap(([key, inner]) => [
    ...createVariants(inner).map((variant) => ({ ...value, [key]: variant })),
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)),
  ]);
  return [...others, { ...value, unknown: 1 }, ...changed];
}

/** Returns values of parameters: none, unknown ones, and each parameter with each basic value. */
function createParameterValues(parameters: Route['parameters']): readonly object[] {
  const none = { path: {}, query: {}, header: {}, cookie: {} };
  return [
    none,
    { ...none, path: { unknown: '' }, query: { unknown: '' } },
    ...parameters.flatMap(({ in: part, name }) =>
      BASIC_VALUES.map((value) => ({ ...none, [part]: { [name]: value } })),
    ),
  ];
}

/** Returns the errors of a copy of a value, because validation can convert values. */
function getErrors(isValid: { (value: unknown): boolean; errors?: ErrorObject[] | null }, value: unknown) {
  isValid(structuredClone(value));
  return isValid.errors ?? [];
}
