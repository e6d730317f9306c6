import { describe, expect, it } from 'vitest';
import { createOperation } from '../support/fixtures/other-document.ts';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

type Respond = (request: ReceivedRequest) => SentResponse;

/** Checks a correct server and one with a defect. Returns the findings and the unchecked parts of both. */
async function checkBoth(document: Parameters<typeof checkApi>[0], correct: Respond, defective: Respond) {
  const [one, other] = [await checkApi(document, correct), await checkApi(document, defective)];
  expect([formatFindings(one.findings), one.unchecked]).toEqual([[], []]);
  return formatFindings(other.findings);
}

const REFUSED = { 400: { description: 'd' }, 415: { description: 'd' } };

/** Returns an operation that creates something from a body with one media type. */
function createPost(operationId: string, type: string, schema: object) {
  const requestBody = { required: true, content: { [type]: { schema } } };
  return createOperation(operationId, {}, { requestBody, responses: { 201: { description: 'd' }, ...REFUSED } });
}

describe('A check of an operation with a body in XML', () => {
  const schema = {
    type: 'object',
    xml: { name: 'booking' },
    required: ['guests', 'room'],
    properties: {
      room: { type: 'string', maxLength: 20, xml: { attribute: true } },
      guests: { type: 'integer', minimum: 1, maximum: 9 },
    },
  };
  const document = { paths: { '/bookings': { post: createPost('book', 'application/xml', schema) } } };
  const bodies: string[] = [];

  /** Reads `<booking room="…"><guests>…</guests></booking>`. `maxGuests`: the limit that the server enforces. */
  const respond =
    (maxGuests: number): Respond =>
    ({ headers, text }) => {
      if (!/^application\/xml\b/.test(headers['content-type'] ?? '')) return { status: 415 };
      bodies.push(text);
      const [, room, guests = ''] =
        /^(?:<\?xml[^>]*\?>)?\s*<booking room="([^"<]*)">\s*<guests>\s*([^<]*?)\s*<\/guests>\s*<\/booking>\s*$/.exec(
          text,
        ) ?? [];
      const count = /^[1-9]\d*$/.test(guests) ? Number(guests) : 0;
      const isValid = room !== undefined && decodeRoom(room).length <= 20 && count >= 1 && count <= maxGuests;
      return { status: isValid ? 201 : 400 };
    };
  const decodeRoom = (text: string) => [...text.replaceAll(/&#?\w+;/g, '_')];

  it('sends XML, and finds a limit that the server does not enforce', async () => {
    const findings = await checkBoth(document, respond(9), respond(Number.MAX_SAFE_INTEGER));
    expect(findings).toEqual([
      expect.stringMatching(/^input book 201 refuses invalid requests: body \/guests maximum/),
    ]);
    expect(bodies.some((text) => /<booking room="[^"]*"><guests>[1-9]<\/guests><\/booking>$/.test(text))).toBe(true);
  });
});

describe('A check of an operation with a file in a form', () => {
  const properties = { title: { type: 'string', maxLength: 30 }, photo: { type: 'string', format: 'binary' } };
  const schema = { type: 'object', required: ['title', 'photo'], properties };
  const document = { paths: { '/photos': { post: createPost('upload', 'multipart/form-data', schema) } } };

  it('sends a file name and a content type, and finds a server that fails for them', async () => {
    const respond =
      (statusOfFile: number): Respond =>
      ({ headers, text }) => {
        if (!/^multipart\/form-data; boundary=/.test(headers['content-type'] ?? '')) return { status: 415 };
        const [, title] = /name="title"(?:\r\n[^\r\n]+)*\r\n\r\n([\s\S]*?)\r\n--/.exec(text) ?? [];
        const isFile = /name="photo"; filename="[^"]+"\r\nContent-Type: [\w.+/-]+\r\n\r\n/i.test(text);
        if (title === undefined || Buffer.from(title, 'latin1').toString().length > 30 || !isFile)
          return { status: 400 };
        return { status: statusOfFile };
      };
    const findings = await checkBoth(document, respond(201), respond(500));
    expect(findings).toEqual([expect.stringMatching(/^input upload 500 no server error/)]);
  });
});

describe('A check of an operation that requires If-Match', () => {
  const table = {
    type: 'object',
    required: ['seats'],
    properties: { seats: { type: 'integer', minimum: 1, maximum: 8 } },
  };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 1 };
  const ifMatch = { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } };
  const response = { description: 'd', content: { 'application/json': { schema: table } } };
  const refused = { ...REFUSED, 404: { description: 'd' }, 412: { description: 'd' }, 428: { description: 'd' } };
  const document = {
    paths: {
      '/tables/{id}': {
        get: createOperation('getTable', table, { parameters: [id], responses: { 200: response, ...refused } }),
        put: createOperation('putTable', table, {
          parameters: [id, ifMatch],
          requestBody: { required: true, content: { 'application/json': { schema: table } } },
          responses: { 200: response, ...refused },
        }),
      },
    },
  };

  /** A server with the table 1. `change` returns the stored table after a PUT with the current version. */
  const createServer = (change: (sent: { readonly seats: number }) => SentResponse): Respond => {
    let stored = { seats: 4 };
    let version = 1;
    return ({ method, path, headers, json }) => {
      if (path !== '/tables/1') return { status: /^\/tables\/-?\d+$/.test(path) ? 404 : 400 };
      const etag = { etag: `"v${version}"` };
      if (method !== 'PUT') return { status: 200, body: stored, headers: etag };
      if (!/^application\/json/.test(headers['content-type'] ?? '')) return { status: 415 };
      const { seats } = Object(json) as { seats?: unknown };
      if (!Number.isInteger(seats) || Number(seats) < 1 || Number(seats) > 8) return { status: 400 };
      if (headers['if-match'] === undefined) return { status: 428 };
      if (headers['if-match'] !== etag.etag) return { status: 412 };
      version++;
      stored = { seats: Number(seats) };
      return change(stored);
    };
  };

  it('sends the current ETag, and finds a wrong response behind it', async () => {
    const findings = await checkBoth(
      document,
      createServer((body) => ({ status: 200, body })),
      createServer(({ seats }) => ({ status: 200, body: { seats: String(seats) } })),
    );
    expect(findings).toEqual([expect.stringMatching(/^input putTable 200 body\/seats type/)]);
  });
});

describe('A check of a property that is writeOnly', () => {
  const guest = {
    type: 'object',
    required: ['name', 'code'],
    properties: { name: { type: 'string', maxLength: 40 }, code: { type: 'string', maxLength: 9, writeOnly: true } },
  };
  const document = {
    paths: {
      '/guests': {
        post: createOperation('addGuest', guest, {
          requestBody: { required: true, content: { 'application/json': { schema: guest } } },
          responses: { 200: { description: 'd', content: { 'application/json': { schema: guest } } }, ...REFUSED },
        }),
      },
    },
  };

  it('finds a response that has it', async () => {
    const respond =
      (toResponse: (sent: { name: string; code: string }) => object): Respond =>
      ({ headers, json }) => {
        if (!/^application\/json/.test(headers['content-type'] ?? '')) return { status: 415 };
        const sent = Object(json) as { name: string; code: string };
        const isValid = [sent.name, sent.code].every((text) => typeof text === 'string');
        if (!isValid || [...sent.name].length > 40 || [...sent.code].length > 9) return { status: 400 };
        return { status: 200, body: toResponse(sent) };
      };
    const findings = await checkBoth(
      document,
      respond(({ name }) => ({ name })),
      respond(({ name, code }) => ({ name, code })),
    );
    expect(findings).toEqual([expect.stringMatching(/^input addGuest 200 body\/code writeOnly/)]);
  });
});
