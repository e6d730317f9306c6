import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../fixtures/default-data.ts';

/** A page of the documentation. */
export interface Page {
  /** The path relative to the project folder, for example `docs/faults.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
}

/** A fenced code block of a page. */
export interface CodeBlock {
  /** The first word after the opening fence, for example `console` or `ts`. */
  readonly language: string;
  /** The name of the file whose content the block shows, from `title="NAME"` after the language. Undefined if the block has no title. */
  readonly title: string | undefined;
  readonly text: string;
  /** The line number of the opening fence. The first line of the page is 1. */
  readonly line: number;
}

/** A command in a `console` block, and the output that the page shows below the command. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** Returns README.md and all pages in docs/, with their code blocks. */
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

/** Returns the commands of a `console` block. A command starts with `$ `, and continues on the next line if a line ends with a backslash. */
export function readCommands(block: CodeBlock): ShownCommand[] {
  return block.text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = ''] = /^(?:[^\n]*\\\n)*[^\n]*/.exec(part) ?? [];
      return { command, output: part.slice(command.length).trim() };
    });
}
