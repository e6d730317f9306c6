import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { code, formatTable } from './markdown.ts';

/**
 * Returns a Markdown table of the properties of an interface in a TypeScript file: name, type, docblock text, and default. The properties of the interfaces
 * that it extends follow.
 */
export function generateOptionsTable(path: string, interfaceName: string): string {
  return formatTable(['option', 'type', 'meaning', 'default'], listOptions(path, interfaceName));
}

function listOptions(path: string, interfaceName: string): string[][] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const declaration = file.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === interfaceName);
  if (declaration === undefined) throw new Error(`${path} has no interface ${interfaceName}`);
  const options = declaration.members.filter(ts.isPropertySignature).map((member) => describeOption(member, file));
  const parents = declaration.heritageClauses?.flatMap(({ types }) => types.map((type) => type.getText(file))) ?? [];
  return [...options, ...parents.flatMap((parent) => listOptions(findImport(file, parent) ?? path, parent))];
}

/** Returns the path of the file that a name is imported from; undefined if the name is not imported. */
function findImport(file: ts.SourceFile, name: string): string | undefined {
  for (const { importClause, moduleSpecifier } of file.statements.filter(ts.isImportDeclaration)) {
    const bindings = importClause?.namedBindings;
    const isImported =
      bindings && ts.isNamedImports(bindings) && bindings.elements.some((element) => element.name.text === name);
    if (isImported && ts.isStringLiteral(moduleSpecifier)) return join(dirname(file.fileName), moduleSpecifier.text);
  }
  return undefined;
}

function describeOption(member: ts.PropertySignature, file: ts.SourceFile): string[] {
  const type =
    member.type
      ?.getText(file)
      .replace(/ \| undefined$/, '')
      .replace(/^\((.*)\)$/, '$1') ?? '';
  const comment = ts
    .getJSDocCommentsAndTags(member)
    .flatMap(({ comment: text }) => (typeof text === 'string' ? text : []));
  const [, meaning = '', defaultValue = ''] =
    /^(.*?)(?: Default: (.*?)\.?)?$/s.exec(comment.join(' ').replaceAll(/\s+/g, ' ')) ?? [];
  return [code(member.name.getText(file)), code(type), meaning, defaultValue];
}
