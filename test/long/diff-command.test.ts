import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runDiff } from '../../src/diff/command.ts';
import type { DiffCommand } from '../../src/diff/options.ts';
import { UserError } from '../../src/util/issue.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { findFreePort } from '../support/harness/free-port.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const OLD = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    get:
      operationId: listNotes
      responses:
        '200':
          description: All notes
          content:
            application/json:
              schema:
                type: array
                items: { $ref: '#/components/schemas/Note' }
    post:
      operationId: createNote
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Note' }
      responses:
        '201': { description: Created }
components:
  schemas:
    Note:
      type: object
      properties:
        text:
          type: string
          maxLength: 200
`;

const NARROWER = OLD.replace('maxLength: 200', 'maxLength: 100').replace('1.0.0', '1.1.0');
const LONGER = OLD.replace('        text:', '        title: { type: string }\n        text:');

/** The sentences about a note that is shorter. */
const SHORTER = 'text of the request has at most 100 characters instead of at most 200 characters';

async function diff(folder: string, command: Partial<DiffCommand>, environment: NodeJS.ProcessEnv = process.env) {
  const paths = { old: join(folder, 'old.yaml'), new: join(folder, 'new.yaml') };
  return runDiff({ ...paths, failOn: 'breaking', ...command }, { folder, environment });
}

async function getError(folder: string, command: Partial<DiffCommand>, environment?: NodeJS.ProcessEnv) {
  const error = await diff(folder, command, environment).catch((reason) => reason);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message.replaceAll(`${folder}/`, '');
}

describe('the report of a diff', () => {
  it('lists breaking changes with the reason and both lines, and then other changes', async () => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': NARROWER });
    const { text, hasFailed } = await diff(folder, {});
    expect(hasFailed).toBe(true);
    expect(
      text.replaceAll(`${folder}/`, ''),
    ).toBe(`1 breaking change and 1 other change from old.yaml (version 1.0.0) to new.yaml (version 1.1.0)

Breaking changes
1. POST /notes: ${SHORTER}
   Reason: requests that were valid are rejected.
   before old.yaml:30  maxLength: 200
   after  new.yaml:30  maxLength: 100

Other changes
- GET /notes: [].text of the 200 response has at most 100 characters instead of at most 200 characters: responses guarantee more than before (new.yaml:30)
`);
  });

  it.each([
    [OLD, LONGER, 'No breaking changes and 2 other changes from '],
    [
      OLD.replace('        text:', '        title: { type: string }\n        text:'),
      OLD,
      '2 breaking changes and no other changes from ',
    ],
    [OLD, OLD, 'No changes that clients can notice from '],
  ])('starts with the numbers of changes (case %#)', async (old, now, start) => {
    const folder = await folderWith({ 'old.yaml': old, 'new.yaml': now });
    expect((await diff(folder, {})).text.startsWith(start)).toBe(true);
  });

  it('has the changes as data', async () => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': NARROWER });
    const { report } = await diff(folder, {});
    const pointer = '/components/schemas/Note/properties/text/maxLength';
    expect(report.old).toEqual({ name: join(folder, 'old.yaml'), version: '1.0.0' });
    expect(report.breaking).toEqual([
      {
        direction: 'request',
        operations: ['POST /notes'],
        message: SHORTER,
        reason: 'requests that were valid are rejected',
        before: { pointer, file: join(folder, 'old.yaml'), line: 30, text: 'maxLength: 200' },
        after: { pointer, file: join(folder, 'new.yaml'), line: 30, text: 'maxLength: 100' },
      },
    ]);
    expect(report.other).toHaveLength(1);
  });

  it('is Markdown in which names of the documents are text', async () => {
    const after = NARROWER.replaceAll('/notes:', '/notes/<b>*x*:');
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': after });
    const { text } = await diff(folder, { markdown: true });
    expect(text).toContain('- **GET /notes/&lt;b>\\*x\\*');
    expect(text).toMatch(/^## \d+ breaking changes and/);
    expect(text).toMatch(/ {2}- before `.*old\.yaml:5`: `get:`\n/);
  });

  it('says that a path is renamed, and also compares the renamed operation', async () => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': NARROWER.replace('/notes:', '/texts:') });
    const { text } = await diff(folder, {});
    expect(text).toContain('1. GET /texts replaces GET /notes (renamed: both have the operationId listNotes)');
    expect(text).toContain(`POST /texts: ${SHORTER}`);
    expect(text).not.toContain('is removed');
  });

  it('lists operations with the same change together', async () => {
    const more = (text: string) =>
      text
        .replace('    post:', '    put: &post')
        .replace('components:', '    post: *post\n    patch: *post\ncomponents:');
    const folder = await folderWith({ 'old.yaml': more(OLD), 'new.yaml': more(NARROWER) });
    const { text } = await diff(folder, {});
    expect(text).toContain('1 breaking change and');
    expect(text).toContain('1. PUT /notes: ');
    expect(text).toContain('Also:   POST /notes, PATCH /notes\n');
  });

  it('does not contain control characters of a document', async () => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': OLD.replace('/notes:', '"/a\\e[31m":') });
    const { text } = await diff(folder, {});
    expect(text).toContain('/a');
    expect(text).not.toContain('\u001b');
  });
});

describe('a diff fails', () => {
  it.each([
    ['breaking', NARROWER, true],
    ['breaking', LONGER, false],
    ['any', LONGER, true],
    ['any', OLD, false],
    ['none', NARROWER, false],
  ] as const)('with --fail-on %s as its option says (case %#)', async (failOn, now, expected) => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': now });
    expect((await diff(folder, { failOn })).hasFailed).toBe(expected);
  });

  it.each([
    [['old.yaml', 'new.yaml'], 1, /^1 breaking change and/],
    [['new.yaml', 'new.yaml'], 0, /^No changes that clients can notice from new\.yaml/],
    [['old.yaml', 'none.yaml'], 3, /^storefront: none\.yaml does not exist/],
    [['old.yaml'], 2, /^storefront: Missing required argument 'new'/],
  ])('with the exit codes of its help: %j has %i', async (args, exitCode, output) => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': NARROWER });
    const program = ['--import', import.meta.resolve('tsx'), projectFile('src/cli/main.ts'), 'diff', ...args];
    const result = await runCommand(process.execPath, program, { cwd: folder });
    expect(result.output).toMatch(output);
    expect(result.exitCode).toBe(exitCode);
  });
});

describe('a version in git', () => {
  const SPLIT = OLD.replace(`'#/components/schemas/Note'`, "'../schemas/note.yaml'").replace(
    `'#/components/schemas/Note'`,
    "'../schemas/note.yaml'",
  );

  async function createRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await folderWith(files);
    const names = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...names, ...args], { cwd: folder, stdio: 'pipe' });
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
    return folder;
  }

  it('is compared with a file', async () => {
    const folder = await createRepository({ 'api/old.yaml': OLD, 'api/new.yaml': NARROWER });
    const command = { old: 'git:main:api/old.yaml', new: join(folder, 'api/new.yaml') };
    expect((await diff(folder, command)).text).toContain('before main:api/old.yaml:30 ');
    // The path can also be relative to the current folder.
    const inside = await runDiff(
      { ...command, old: 'git:HEAD:old.yaml', failOn: 'breaking' },
      { folder: join(folder, 'api'), environment: process.env },
    );
    expect(inside.text).toContain('before HEAD:api/old.yaml:30 ');
  });

  it('includes the files of the same revision to which it refers', async () => {
    const files = {
      'api/old.yaml': SPLIT,
      'schemas/note.yaml': 'type: object\nproperties: { text: { type: string } }\n',
    };
    const folder = await createRepository(files);
    await import('node:fs/promises').then(({ writeFile }) =>
      writeFile(join(folder, 'schemas/note.yaml'), 'type: object\nproperties: { text: { type: integer } }\n'),
    );
    const { text } = await diff(folder, { old: 'git:main:api/old.yaml', new: join(folder, 'api/old.yaml') });
    expect(text).toContain('POST /notes: text of the request can be an integer instead of a string');
    expect(text).toContain('before main:schemas/note.yaml:2 ');
  });

  it('is refused with a reason if it can not be read', async () => {
    const files = { 'new.yaml': OLD, 'bad.yaml': 'openapi: 3.0.3\npaths: [', 'out.yaml': SPLIT, 'lost/a.yaml': SPLIT };
    const folder = await createRepository(files);
    const read = (old: string) => getError(folder, { old });
    expect(await read('git:v9:new.yaml')).toMatch(/"v9" is not a revision in git: enter a branch, a tag or a commit$/);
    expect(await read('git:--output=x:new.yaml')).toMatch(/"--output=x" is not a revision in git/);
    expect(await read('git:main:api.yaml')).toMatch(
      /^git:main:api\.yaml does not exist: the revision main has no file/,
    );
    expect(await read('git:new.yaml')).toMatch(/use git:REVISION:PATH, such as git:main:openapi\.yaml$/);
    expect(await read('git:main:bad.yaml')).toMatch(/^main:bad\.yaml:\d+:\d+ is not valid YAML: /);
    expect(await read('git:main:out.yaml')).toMatch(
      /^main:out\.yaml:14:.*note\.yaml", which is outside the repository/,
    );
    expect(await read('git:main:lost/a.yaml')).toMatch(/the revision main has no file schemas\/note\.yaml/);
    const outside = await folderWith({ 'new.yaml': OLD });
    expect(await getError(outside, { old: 'git:main:new.yaml' })).toMatch(
      /is not in a git repository\. Run the command/,
    );
    const without = { ...process.env, PATH: outside };
    expect(await getError(folder, { old: 'git:main:new.yaml' }, without)).toMatch(/: git is not installed\./);
  });
});

/** Starts an HTTP server with a text for each path. All other paths have a 404. Returns its URL. */
async function serve(texts: Readonly<Record<string, string>>): Promise<string> {
  const server: Server = createServer(({ url = '' }, response) => {
    const text = texts[url];
    response.writeHead(text === undefined ? 404 : 200).end(text ?? '<html>Not found</html>');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a version at a URL', () => {
  it('is the contract of a running storefront', async () => {
    const folder = await folderWith({ 'old.yaml': OLD, 'new.yaml': NARROWER });
    const { url } = await startStorefront({ contract: join(folder, 'new.yaml') });
    const { text } = await diff(folder, { new: url });
    expect(text).toContain(`POST /notes: ${SHORTER}`);
    expect(text).toMatch(/after {2}http:\/\/\S+\/openapi\.yaml:30 +maxLength: 100\n/);
  });

  it.each([
    [{ '/api.json': NARROWER }, '/api.json'],
    [{ '/': '<html></html>', '/v3/api-docs': NARROWER }, '/'],
    [{ '/base/openapi.json': NARROWER }, '/base'],
  ])('is found on a server with %j', async (texts, path) => {
    const folder = await folderWith({ 'old.yaml': OLD });
    const { text } = await diff(folder, { new: (await serve(texts as Readonly<Record<string, string>>)) + path });
    expect(text).toContain(SHORTER);
  });

  it('is refused with a reason if it can not be read', async () => {
    const folder = await folderWith({ 'old.yaml': OLD });
    const url = await serve({
      '/swagger.json': '{"swagger":"1.2"}',
      '/split.yaml': OLD.replaceAll("'#/", "'a.yaml#/"),
    });
    const read = (path: string) => getError(folder, { new: path });
    expect(await read(`${url}/none`)).toMatch(
      /serves no OpenAPI document \(status 404\), also not at .*\/openapi\.yaml.*enter the URL/,
    );
    expect(await read(url)).toMatch(
      /swagger\.json is not an OpenAPI 3\.0, 3\.1 or 3\.2 document, but Swagger 1\.2: convert it/,
    );
    expect(await read(`${url}/split.yaml`)).toMatch(
      /split\.yaml:14:.*which is not loaded, because the document is from a/,
    );
    expect(await read(`http://127.0.0.1:${await findFreePort()}/`)).toMatch(
      /^Cannot read .* \(ECONNREFUSED\): start the server, or correct/,
    );
    expect(await read('http://ann:secret@127.0.0.1:1/')).not.toContain('secret');
  });
});

describe('a version in a file', () => {
  it('is refused if a reference has no target', async () => {
    const folder = await folderWith({
      'old.yaml': OLD,
      'new.yaml': OLD.replace("schemas/Note' }\n      resp", "schemas/Text' }\n      resp"),
    });
    expect(await getError(folder, {})).toMatch(
      /^new\.yaml:20:\d+ .*refers to "#\/components\/schemas\/Text", which does not exist/,
    );
  });

  it('is refused once if it refers to a file that does not exist', async () => {
    const folder = await folderWith({
      'old.yaml': OLD,
      'new.yaml': 'openapi: 3.0.3\ninfo: { title: A, version: "1" }\npaths:\n  /a: { $ref: none.yaml }\n',
    });
    expect(await getError(folder, {})).toMatch(
      /^new\.yaml:4:\d+ \S+ refers to "none\.yaml", but none\.yaml does not exist: check the path$/,
    );
  });
});
