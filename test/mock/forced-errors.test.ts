import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/index.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const UNAVAILABLE = 'the server cannot handle the request now: try again after the time in Retry-After';

/** Returns the documented response to an error with a code and details. */
function createError(media: object) {
  const text = { type: 'string' };
  const code = { type: 'string', enum: ['UNAUTHORIZED', 'NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'] };
  const details = { type: 'array', items: { type: 'object', properties: { field: text } } };
  const error = { type: 'object', required: ['code', 'message'], properties: { code, message: text, details } };
  const schema = { type: 'object', required: ['error'], properties: { error } };
  return { description: 'd', content: { 'application/json': { schema, ...media } } };
}

/** Starts a server for an operation with these responses to errors. */
async function startBees(errors: object, options: object = {}) {
  const responses = { 200: { description: 'd' }, ...errors };
  const contract = await writeDocument({ paths: { '/bees': { get: { operationId: 'listBees', responses } } } });
  return startStorefront({ contract, ...options });
}

describe('a forced error', () => {
  it('has the code that the contract has for the status, or its example', async () => {
    const example = { error: { code: 'UNAUTHORIZED', message: 'Sign in' } };
    const { ask } = await startBees({ 404: createError({}), 409: createError({}), 401: createError({ example }) });
    const force = async (code: number) => (await ask('GET', '/bees', undefined, { Prefer: `code=${code}` })).body;
    expect(await force(404)).toEqual({ error: { code: 'NOT_FOUND', message: 'nothing was found at this path' } });
    expect((await force(409)).error.code).toBe('CONFLICT');
    expect(await force(401)).toEqual(example);
  });

  it('has a code that means the same as the status; a fault has a warning if there is none', async () => {
    const code = { enum: ['TOKEN_EXPIRED', 'PAYMENT_REQUIRED', 'BUSY'] };
    const schema = { type: 'object', required: ['code'], properties: { code } };
    const error = { description: 'd', content: { 'application/json': { schema } } };
    const { ask } = await startBees({ 401: error, 404: error, 503: error });
    const codes: unknown[] = [];
    const warnings: unknown[] = [];
    for (const status of [401, 503, 404, 500]) {
      await ask('DELETE', '/_control/sandboxes/default/faults');
      const fault = { operation: 'listBees', status };
      warnings.push((await ask('POST', '/_control/sandboxes/default/faults', fault)).body.warnings);
      codes.push((await ask('GET', '/bees')).body.code);
    }
    expect(codes).toEqual(['TOKEN_EXPIRED', 'BUSY', 'TOKEN_EXPIRED', 'TOKEN_EXPIRED']);
    const unfit = 'the body has the code "TOKEN_EXPIRED", because the contract allows no code that fits the status';
    const undocumented = 'the contract does not document the status 500 for listBees';
    expect(warnings).toEqual([
      undefined,
      undefined,
      [`${unfit} 404: set body`],
      [undocumented, `${unfit} 500: set body`],
    ]);
  });

  it('has a code that the log notes once if none fits, also if a handler throws the error', async () => {
    const schema = { type: 'object', required: ['code'], properties: { code: { enum: ['TOKEN_EXPIRED'] } } };
    const error = { description: 'd', content: { 'application/json': { schema } } };
    const listBees = () => {
      throw new DomainError('conflict', 'the bees are away');
    };
    const { ask, log } = await startBees({ 409: error }, { handlers: { listBees } });
    for (let time = 0; time < 2; time++) expect((await ask('GET', '/bees')).body).toEqual({ code: 'TOKEN_EXPIRED' });
    await expect.poll(() => log.filter(({ status }) => status === 409).length).toBe(2);
    const note = 'the body has the code "TOKEN_EXPIRED", because the contract allows no code that fits the status 409';
    expect(log.flatMap(({ status, notes }) => (status === 409 ? [notes] : []))).toEqual([
      ['the bees are away', note],
      ['the bees are away'],
    ]);
  });

  it("is the body of a handler's response that has the status and no body", async () => {
    const listBees = () => ({ status: 404, headers: { 'X-Own': '1' } });
    const { ask } = await startBees({ 404: createError({}) }, { handlers: { listBees }, verify: 'strict' });
    const { status, body, headers } = await ask('GET', '/bees');
    expect([status, body.error.code, headers.get('x-own')]).toEqual([404, 'NOT_FOUND', '1']);
  });
});

/** Responses of an operation to errors, and the body of a forced 503. */
const UNDOCUMENTED_FORMS: readonly (readonly [form: string, errors: object, body: object])[] = [
  [
    'another error of the operation',
    { 404: createError({}) },
    { error: { code: 'UNAVAILABLE', message: UNAVAILABLE } },
  ],
  ['no error', {}, { type: 'about:blank', detail: UNAVAILABLE, instance: '/bees' }],
  [
    'problem documents',
    { 404: { description: 'd', content: { 'application/problem+json': {} } } },
    { type: 'about:blank' },
  ],
];

describe('a forced error that the contract does not document', () => {
  it.each(UNDOCUMENTED_FORMS)('has the form of %s', async (_form, errors, body) => {
    const { ask } = await startBees(errors);
    await ask('POST', '/_control/sandboxes/default/faults', { status: 503 });
    expect(await ask('GET', '/bees')).toMatchObject({ status: 503, body });
  });
});
