import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../fixtures/default-data.ts';

/** A page of the documentation. */
export interface Page {
  /** The path below the project's folder: `docs/faults.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
}

/** A fenced code block. */
export interface CodeBlock {
  /** The first word after the fence: `console`, `ts`. */
  readonly language: string;
  /** The name of the file that the block shows, from `title="NAME"` after the language. */
  readonly title: string | undefined;
  readonly text: string;
  /** The number of the line with the opening fence, from 1. */
  readonly line: number;
}

/** A command of a `console` block with the output that the page shows for it. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** Returns README.md and the pages in docs/. */
export function readPages(): Page[] {
  const docs = readdirSync(projectFile('docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)].map((path) => {
    const text = readFileSync(projectFile(path), 'utf8');
    return { path, text, blocks: findBlocks(text) };
  });
}

function findBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w+)?([^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', attributes = '', code = ''], index, all) => ({
      language,
      title: /title="([^"]*)"/.exec(attributes)?.[1],
      text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, all[index]?.index).split('\n').length,
    }),
  );
}

/** Returns the commands of a `console` block. A command starts with `$ ` and goes on after a backslash at the end of a line. */
export function readCommands(block: CodeBlock): ShownCommand[] {
  return block.text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = ''] = /^(?:[^\n]*\\\n)*[^\n]*/.exec(part) ?? [];
      return { command, output: part.slice(command.length).trim() };
    });
}
