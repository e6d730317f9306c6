import { afterEach, describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const SCHEMA = {
  type: 'object',
  required: ['name'],
  oneOf: [
    { type: 'object', properties: { place: { type: 'object', required: ['city'] } } },
    { type: 'object', required: ['nowhere'] },
  ],
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 1 },
    'vet.age': { type: 'integer' },
    isTame: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    owner: { $ref: '#/components/schemas/Owner' },
    owners: { type: 'array', items: { $ref: '#/components/schemas/Owner' } },
    vet: { allOf: [{ $ref: '#/components/schemas/Owner' }] },
    sitter: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'string' }] },
    walkers: {
      oneOf: [
        { $ref: '#/components/schemas/Owner' },
        { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Owner' }] } },
      ],
    },
    photo: { type: 'string', format: 'binary' },
    photos: { type: 'array', items: { type: 'string', format: 'binary' } },
  },
};
const Owner = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string' }, age: { type: 'integer' } },
};
const ENCODING = { sizes: { style: 'form', explode: false }, tags: { style: 'pipeDelimited', explode: false } };

let received: unknown;

/** Starts a server whose handler stores the body that it gets. */
async function startServer() {
  const media = { schema: SCHEMA, encoding: ENCODING };
  const content = { 'multipart/form-data': media, 'application/x-www-form-urlencoded': media };
  const responses = { 204: { description: 'd' }, 400: { description: 'd' } };
  const contract = await writeDocument({
    paths: { '/pets': { post: { operationId: 'addPet', requestBody: { required: true, content }, responses } } },
    schemas: { Owner },
  });
  const addPet = ({ body }: { body: unknown }) => {
    received = body;
    return { status: 204 };
  };
  return startStorefront({ contract, handlers: { addPet } });
}

afterEach(() => {
  received = undefined;
});

/** Sends a form. Returns the status and the problem. */
async function sendForm(body: FormData | URLSearchParams) {
  const shop = await startServer();
  const response = await fetch(`${shop.url}/pets`, { method: 'POST', body });
  const text = await response.text();
  return { status: response.status, problem: text === '' ? undefined : JSON.parse(text) };
}

/** Creates a form of each type from text fields. */
function createForm(type: string, fields: readonly (readonly [string, string])[]): FormData | URLSearchParams {
  const form = type === 'multipart' ? new FormData() : new URLSearchParams();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

describe.each(['multipart', 'urlencoded'])('a %s form', (type) => {
  it('is the body that a handler gets, with the types of the schema', async () => {
    const form = createForm(type, [
      ['name', 'Rex'],
      ['age', '5'],
      ['vet.age', '50'],
      ['isTame', 'true'],
      ['tags', 'old'],
      ['tags', 'new'],
      ['owner[email]', 'a@example.com'],
      ['owner[age]', '40'],
    ]);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    const owner = { email: 'a@example.com', age: 40 };
    expect(received).toEqual({ name: 'Rex', age: 5, 'vet.age': 50, isTame: true, tags: ['old', 'new'], owner });
  });

  it('can have JSON in the field of an object', async () => {
    const owner = { email: 'a@example.com', age: 40 };
    const form = createForm(type, [
      ['name', 'Rex'],
      ['owner', JSON.stringify(owner)],
      ['owners', JSON.stringify([owner])],
    ]);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', owner, owners: [owner] });
  });

  it('can have JSON in a field whose schema is composed', async () => {
    const owner = { email: 'a@example.com', age: 40 };
    const owners = [owner, owner];
    const fields = { name: 'Rex', vet: owner, sitter: owner, walkers: owners, place: { city: 'x' } };
    const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    const toForm = (values: object) =>
      createForm(
        type,
        Object.entries(values).map(([name, value]) => [name, toText(value)]),
      );
    expect(await sendForm(toForm(fields))).toMatchObject({ status: 204 });
    expect(received).toEqual(fields);
    const others = { name: 'Rex', sitter: '[draft] x', walkers: owner };
    expect(await sendForm(toForm(others))).toMatchObject({ status: 204 });
    expect(received).toEqual(others);
  });

  it('keeps the texts in JSON as they are', async () => {
    const form = createForm(type, [
      ['name', 'Rex'],
      ['owner', '{"email":"7","age":"5"}'],
    ]);
    expect((await sendForm(form)).problem.violations).toMatchObject([{ pointer: '/owner/age' }]);
  });

  it('can have the entries of a list by number', async () => {
    const form = createForm(type, [
      ['name', 'Rex'],
      ['owners[1][email]', 'a'],
      ['owners[2][email]', 'b'],
      ['owners[1][age]', '4'],
    ]);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', owners: [{ email: 'a', age: 4 }, { email: 'b' }] });
  });

  it('can be nested deeply', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'city'];
    const name = `place[city][${keys.join('][')}]`;
    const form = createForm(type, [
      ['name', 'Rex'],
      [name, 'x'],
    ]);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    const city = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), 'x');
    expect(received).toEqual({ name: 'Rex', place: { city } });
  });

  it('keeps a file that looks like JSON as a text', async () => {
    const form = createForm(type, [
      ['name', 'Rex'],
      ['photos', '[1]'],
    ]);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', photos: ['[1]'] });
  });

  it('can have a list in one field, as the encoding says', async () => {
    expect(
      await sendForm(
        createForm(type, [
          ['name', 'Rex'],
          ['sizes', '1,2'],
          ['tags', 'a|b'],
        ]),
      ),
    ).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', sizes: [1, 2], tags: ['a', 'b'] });
  });

  it('is a list of 100 entries if the field is repeated as often, and is refused with too many fields', async () => {
    const toForm = (count: number) =>
      createForm(type, [['name', 'Rex'], ...Array.from({ length: count }, (): [string, string] => ['sizes', '1'])]);
    await sendForm(toForm(100));
    expect(received).toMatchObject({ sizes: Array.from({ length: 100 }, () => 1) });
    expect((await sendForm(toForm(1_001))).status).toBe(413);
  });

  it('is a list of one entry if the field is not repeated', async () => {
    await sendForm(
      createForm(type, [
        ['name', 'Rex'],
        ['owners', '{"email":"a"}'],
      ]),
    );
    expect(received).toEqual({ name: 'Rex', owners: [{ email: 'a' }] });
  });

  it.each<[string, readonly (readonly [string, string])[], string]>([
    ['a required field is missing', [['age', '5']], '/name'],
    [
      'a field has another type',
      [
        ['name', 'Rex'],
        ['age', 'five'],
      ],
      '/age',
    ],
    [
      'a field is out of range',
      [
        ['name', 'Rex'],
        ['age', '0'],
      ],
      '/age',
    ],
    [
      'a nested field is missing',
      [
        ['name', 'Rex'],
        ['owner[age]', '4'],
      ],
      '/owner/email',
    ],
  ])('is refused if %s', async (_, fields, pointer) => {
    const { status, problem } = await sendForm(createForm(type, fields));
    expect([status, problem.violations]).toEqual([400, [expect.objectContaining({ in: 'body', pointer })]]);
    expect(received).toBeUndefined();
  });
});

describe('a file in a multipart form', () => {
  it('is a data URL with its type, name and size', async () => {
    const form = createForm('multipart', [['name', 'Rex']]) as FormData;
    form.append('photo', new Blob([new Uint8Array([0, 255, 13, 10])], { type: 'image/png' }), 'my cat.png');
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', photo: 'data:image/png;name=my%20cat.png;size=4;base64,AP8NCg==' });
  });

  it('is an entry of a list', async () => {
    const form = createForm('multipart', [['name', 'Rex']]) as FormData;
    for (const name of ['a.txt', 'b.txt']) form.append('photos', new Blob(['x'], { type: 'text/plain' }), name);
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    const photos = ['a', 'b'].map((name) => `data:text/plain;name=${name}.txt;size=1;base64,eA==`);
    expect(received).toEqual({ name: 'Rex', photos });
  });

  it('of more than 100 kB is complete', async () => {
    const form = createForm('multipart', [['name', 'Rex']]) as FormData;
    form.append('photo', new Blob([new Uint8Array(3_000_000)], { type: 'image/png' }), 'a.png');
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    const { photo } = received as { photo: string };
    expect(photo.slice(0, 60)).toMatch(/^data:image\/png;name=a\.png;size=3000000;base64,AAAA/);
    expect(photo.length).toBeGreaterThan(4_000_000);
  });

  it('is an object if it is JSON without a name', async () => {
    const form = createForm('multipart', [['name', 'Rex']]) as FormData;
    form.append('owner', new Blob(['{"email":"a"}'], { type: 'application/json' }));
    expect(await sendForm(form)).toMatchObject({ status: 204 });
    expect(received).toEqual({ name: 'Rex', owner: { email: 'a' } });
  });
});

describe('a multipart body', () => {
  it.each<[string, string, string | Uint8Array<ArrayBuffer>, number]>([
    ['has no boundary', 'multipart/form-data', 'x', 400],
    [
      'ends too early',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nRe',
      400,
    ],
    [
      'has too many parts',
      'multipart/form-data; boundary=b',
      `${'--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n'.repeat(1_001)}--b--`,
      413,
    ],
    [
      'has more than 100 kB of text',
      'multipart/form-data; boundary=b',
      `${`--b\r\nContent-Disposition: form-data; name=a\r\n\r\n${'x'.repeat(60_000)}\r\n`.repeat(2)}--b--`,
      413,
    ],
    [
      'has more than 100 kB of JSON in a part without the name of a file',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name=a; filename=blob\r\nContent-Type: application/json\r\n\r\n[${'0,'.repeat(60_000)}0]\r\n--b--`,
      413,
    ],
    ['has more than 10 MB', 'multipart/form-data; boundary=b', new Uint8Array(10_000_001), 413],
  ])('is refused if it %s', async (_, type, body, expected) => {
    const shop = await startServer();
    const response = await fetch(`${shop.url}/pets`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status).toBe(expected);
    expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/^the body /) });
  });

  it('can have the headers that .NET sends', async () => {
    const shop = await startServer();
    const part = 'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=name\r\n\r\nRéx\r\n';
    const file = "Content-Disposition: form-data; name=photo; filename=a.txt; filename*=utf-8''a.txt\r\n\r\nx\r\n";
    const body = `--b\r\n${part}--b\r\n${file}--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary="b"' };
    expect((await fetch(`${shop.url}/pets`, { method: 'POST', headers, body })).status).toBe(204);
    expect(received).toMatchObject({ name: 'Réx', photo: expect.stringContaining('name=a.txt') });
  });
});

it.each([
  ['no file', [['name', 'a']], 'photo is missing: add a file'],
  ['a text in place of the file', [['photo', 'undefined']], 'photo is "undefined": use a file'],
])('A form with %s is refused with a remedy', async (_, fields, problem) => {
  const form = createForm('multipart', fields as [string, string][]);
  expect(await sendPhoto(form)).toContain(problem);
});

it('A form with JSON without a name in the field of a file is accepted', async () => {
  const form = new FormData();
  form.append('photo', new Blob(['{"a":1}'], { type: 'application/json' }));
  expect(await sendPhoto(form)).toBe('');
});

it('A form with two files in the field of one is refused with a remedy, without their content', async () => {
  const form = new FormData();
  for (const name of ['a.txt', 'b.txt']) form.append('photo', new Blob(['x'], { type: 'text/plain' }), name);
  const files = ['a', 'b'].map((name) => `"data:text/plain;name=${name}.txt;size=1;base64,…"`);
  expect(await sendPhoto(form)).toContain(`photo is [${files}]: send only one file`);
});

/** Sends a form to an operation that requires a file. Returns the detail of the error. */
async function sendPhoto(body: FormData | URLSearchParams): Promise<string> {
  const schema = { type: 'object', required: ['photo'], properties: { photo: { type: 'string', format: 'binary' } } };
  const requestBody = { required: true, content: { 'multipart/form-data': { schema } } };
  const responses = { 204: { description: 'd' }, 400: { description: 'd' } };
  const contract = await writeDocument({ paths: { '/photos': { post: { requestBody, responses } } } });
  const shop = await startStorefront({ contract });
  const response = await fetch(`${shop.url}/photos`, { method: 'POST', body });
  return response.status === 204 ? '' : ((await response.json()) as { detail: string }).detail;
}
