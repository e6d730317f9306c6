import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Writes a document with `GET /file`, which responds with a media type. */
function writeFileDocument(type: string, schema: object | undefined, media: object = {}): Promise<string> {
  const content = { [type]: { ...(schema ? { schema } : {}), ...media } };
  const get = { operationId: 'getFile', responses: { 200: { description: 'd', content } } };
  return writeDocument({ paths: { '/file': { get } } });
}

const BINARY = { type: 'string', format: 'binary' };

/** Requests the file of a document. Returns its content type and bytes. */
async function requestFile(contract: string) {
  const shop = await startStorefront({ contract });
  const response = await fetch(`${shop.url}/file`);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  return { status: response.status, type: response.headers.get('content-type'), bytes };
}

describe('a mocked file', () => {
  it.each([
    ['image/png', BINARY, '89504e470d0a1a0a'],
    ['image/png', undefined, '89504e470d0a1a0a'],
    ['image/jpeg', BINARY, 'ffd8ffe0'],
    ['image/gif', BINARY, Buffer.from('GIF89a').toString('hex')],
    ['image/webp', BINARY, Buffer.from('RIFF').toString('hex')],
    ['image/svg+xml', { type: 'string' }, Buffer.from('<svg xmlns').toString('hex')],
    ['application/pdf', BINARY, Buffer.from('%PDF-1.4').toString('hex')],
    ['application/zip', BINARY, Buffer.from('PK').toString('hex')],
    ['application/octet-stream', {}, '0001'],
    ['audio/wav', BINARY, Buffer.from('RIFF').toString('hex')],
    ['audio/mpeg', BINARY, 'fffb'],
    ['text/csv', { type: 'string' }, Buffer.from('id,name').toString('hex')],
    ['text/html', { type: 'string' }, Buffer.from('<!doctype html>').toString('hex')],
  ])('of the type %s has this format, with the schema %j', async (type, schema, start) => {
    const file = await requestFile(await writeFileDocument(type, schema));
    expect([file.status, file.type]).toEqual([200, type]);
    expect(file.bytes.toString('hex')).toMatch(new RegExp(`^${start}`));
  });

  it('has offsets in a PDF at which the objects begin', async () => {
    const { bytes } = await requestFile(await writeFileDocument('application/pdf', BINARY));
    const text = bytes.toString('latin1');
    const offsets = [...text.matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset));
    expect(offsets.map((offset) => text.slice(offset, offset + 7))).toEqual(['1 0 obj', '2 0 obj', '3 0 obj']);
    expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith('xref')).toBe(true);
  });

  it.each([
    ['image/*', 'image/png'],
    ['audio/*', 'audio/wav'],
  ])('of the range %s is %s', async (range, type) => {
    expect((await requestFile(await writeFileDocument(range, BINARY))).type).toBe(type);
  });

  it.each([
    ['the example of the document', { type: 'string' }, { example: 'a,b' }, 'a,b'],
    ['the example of the schema', { type: 'string', example: 'c,d' }, {}, 'c,d'],
  ])('is %s, if there is one', async (_, schema, media, expected) => {
    const { bytes } = await requestFile(await writeFileDocument('text/csv', schema, media));
    expect(bytes.toString()).toBe(expected);
  });

  it('is cut by a fault in the middle', async () => {
    const shop = await startStorefront({ contract: await writeFileDocument('image/png', BINARY) });
    await shop.ask('POST', '/_control/sandboxes/default/faults', { operation: 'getFile', connection: 'cut' });
    await expect(fetch(`${shop.url}/file`).then((response) => response.arrayBuffer())).rejects.toThrow();
  });
});
