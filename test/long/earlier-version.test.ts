import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/util/issue.ts';
import { readEarlierVersion } from '../../tools/contract/against.ts';
import { sortVersionTags } from '../../tools/contract/version-tags.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const NAMES = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', [...NAMES, ...args], { cwd: folder, stdio: 'pipe' });
}

/** A step in the history of a repository: a commit of the document, a commit of another file, or a tag. */
type Step = { readonly document: string } | { readonly other: string } | { readonly tag: string };

/** Creates a repository with this history and returns its folder. The document is api/openapi.yaml. */
async function createRepository(...steps: readonly Step[]): Promise<string> {
  const folder = await tempFolder();
  git(folder, 'init', '--quiet');
  mkdirSync(join(folder, 'api'));
  for (const step of steps) {
    if ('tag' in step) git(folder, 'tag', step.tag);
    else {
      const [path, text] = 'document' in step ? ['api/openapi.yaml', step.document] : ['other.txt', step.other];
      writeFileSync(join(folder, path), text);
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '--message', text);
    }
  }
  return folder;
}

function getDocumentPath(folder: string): string {
  return join(folder, 'api/openapi.yaml');
}

/** Returns the message of the expected error. */
async function getErrorMessage(path: string, against?: string): Promise<string> {
  const fault = await readEarlierVersion(path, against).catch((error) => error);
  expect(fault).toBeInstanceOf(UserError);
  expect(fault.message).not.toContain('\n');
  return fault.message;
}

describe('the earlier version of a document', () => {
  it('is the file that --against names', async () => {
    const folder = await createRepository({ document: 'one' });
    writeFileSync(join(folder, 'older.yaml'), 'older');
    const file = join(folder, 'older.yaml');
    expect(await readEarlierVersion(getDocumentPath(folder), file)).toEqual({ name: file, text: 'older' });
  });

  it('is the one at the tag, branch or commit that --against names', async () => {
    const folder = await createRepository(
      { document: 'one' },
      { tag: 'first' },
      { document: 'two' },
      { document: 'three' },
    );
    expect(await readEarlierVersion(getDocumentPath(folder), 'first')).toEqual({
      name: 'first:openapi.yaml',
      text: 'one',
    });
    expect(await readEarlierVersion(getDocumentPath(folder), 'HEAD~1')).toMatchObject({ text: 'two' });
  });

  it('is the one at the newest version tag by default', async () => {
    const folder = await createRepository(
      { other: 'before' },
      { tag: 'v3.0.0' },
      { document: 'one' },
      { tag: 'v1.10.0' },
      { document: 'two' },
      { tag: '1.9.1' },
      { tag: 'v2' },
      { document: 'three' },
      { tag: 'v1.11.0-rc.1' },
      { tag: 'nightly' },
      { document: 'four' },
    );
    expect(await readEarlierVersion(getDocumentPath(folder))).toEqual({
      name: 'v1.11.0-rc.1:openapi.yaml',
      text: 'three',
    });
  });

  it('is the one before the last commit that changed the document if there are no tags', async () => {
    const folder = await createRepository({ document: 'one' }, { document: 'two' }, { other: 'a' }, { other: 'b' });
    const { name, text } = await readEarlierVersion(getDocumentPath(folder));
    expect(text).toBe('one');
    expect(name).toMatch(/^[0-9a-f]+\^:openapi\.yaml$/);
  });

  it('is unknown in a shallow clone, which the message says', async () => {
    const folder = await createRepository({ document: 'one' }, { tag: 'v1.0.0' }, { document: 'two' });
    const clone = join(await tempFolder(), 'clone');
    git(folder, 'clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
    expect(await getErrorMessage(getDocumentPath(clone))).toMatch(
      /this clone is shallow.*git fetch --unshallow --tags/,
    );
    expect(await getErrorMessage(getDocumentPath(clone), 'v1.0.0')).toMatch(
      /^v1\.0\.0 is neither .*shallow.*git fetch --unshallow/,
    );
    git(clone, 'fetch', '--quiet', '--unshallow', '--tags');
    expect(await readEarlierVersion(getDocumentPath(clone))).toMatchObject({ text: 'one' });
  });

  it.each([
    ['there is none yet', [{ document: 'one' }], undefined, /no earlier version: commit [0-9a-f]+ added it/],
    ['the name is unknown', [{ document: 'one' }], 'v9', /^v9 is neither a file nor a revision in git/],
    ['the name is an option', [{ document: 'one' }], '--all', /^--all is neither a file nor a revision/],
    ['the version lacks it', [{ other: 'a' }, { tag: 't' }, { document: 'one' }], 't', /^t has no openapi\.yaml/],
  ] as const)('is refused in a sentence where %s', async (_, steps, against, expected) => {
    expect(await getErrorMessage(getDocumentPath(await createRepository(...steps)), against)).toMatch(expected);
  });

  it('is unknown if the document was never committed, which the message says', async () => {
    const folder = await createRepository({ other: 'a' });
    writeFileSync(getDocumentPath(folder), 'one');
    expect(await getErrorMessage(getDocumentPath(folder))).toMatch(/is not committed yet/);
  });

  it('is unknown without a repository, git or a document, which the message says', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'openapi.yaml');
    expect(await getErrorMessage(path)).toMatch(/openapi\.yaml does not exist/);
    writeFileSync(path, 'one');
    expect(await getErrorMessage(path)).toMatch(/not in a git repository\. Name a file with --against FILE\.$/);
    expect(await getErrorMessage(path, 'v1')).toMatch(/^Cannot find v1, which is not a file: /);
    const { PATH } = process.env;
    process.env.PATH = folder;
    try {
      expect(await getErrorMessage(path)).toMatch(/git is not installed/);
    } finally {
      process.env.PATH = PATH;
    }
  });
});

describe('version tags', () => {
  it('are sorted by version with the newest first', () => {
    const tags = ['v1.2.0', '1.10.0', 'v1.10.0-rc.2', 'v1.10.0-rc.10', 'v1.10.0-rc', 'latest', 'v2', 'v0.9.0+7'];
    const expected = ['1.10.0', 'v1.10.0-rc.10', 'v1.10.0-rc.2', 'v1.10.0-rc', 'v1.2.0', 'v0.9.0+7'];
    expect(sortVersionTags(tags)).toEqual(expected);
    expect(sortVersionTags(tags.toReversed())).toEqual(expected);
  });
});
