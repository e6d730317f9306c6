import ts from 'typescript';
import { code, formatTable } from './markdown.ts';

/** Returns a table of the properties of an interface in a TypeScript source: name, type, and the text of the docblock with the default in a column. */
export function generateOptionsTable(source: string, interfaceName: string): string {
  const file = ts.createSourceFile('options.ts', source, ts.ScriptTarget.Latest, true);
  const declaration = file.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === interfaceName);
  if (declaration === undefined) throw new Error(`There is no interface ${interfaceName}`);
  const rows = declaration.members.filter(ts.isPropertySignature).map((member) => describeOption(member, file));
  return formatTable(['option', 'type', 'meaning', 'default'], rows);
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
  const [, meaning = '', defaultValue = ''] = /^(.*?)(?: Default: (.*?)\.?)?$/s.exec(comment.join(' ')) ?? [];
  return [code(member.name.getText(file)), code(type), meaning, defaultValue];
}
