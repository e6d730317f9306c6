import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { code, formatTable } from './markdown.ts';

/**
 * Returns a Markdown table of the options in the constant `OPTIONS` of a TypeScript file: name, type, docblock text, and default. An option is a call such as
 * `option(PORT, …)`, and the constant `PORT` has the type `Kind<number>`.
 */
export function generateOptionsTable(path: string): string {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = new Map(
    file.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .map((declaration) => [declaration.name.getText(file), declaration]),
  );
  const table = constants.get('OPTIONS')?.initializer;
  if (!table || !ts.isObjectLiteralExpression(table)) throw new Error(`${path} has no object OPTIONS`);
  const options = table.properties.filter(ts.isPropertyAssignment).map((property) => {
    const [kind] = ts.isCallExpression(property.initializer) ? property.initializer.arguments : [];
    if (!kind) throw new Error(`the option ${property.name.getText(file)} has no kind`);
    return describeOption(property, getType(kind, constants, file), file);
  });
  return formatTable(['option', 'type', 'meaning', 'default'], options);
}

/** Returns the type of the values of a kind: of a constant with the type `Kind<TYPE>`, or of `choice('a', 'b')`. */
function getType(
  kind: ts.Expression,
  constants: ReadonlyMap<string, ts.VariableDeclaration>,
  file: ts.SourceFile,
): string {
  if (ts.isCallExpression(kind)) return kind.arguments.map((value) => value.getText(file)).join(' | ');
  const type = constants.get(kind.getText(file))?.type;
  const [value] = type && ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : [];
  if (!value) throw new Error(`${kind.getText(file)} has no type Kind<TYPE>`);
  return value.getText(file);
}

function describeOption(option: ts.PropertyAssignment, type: string, file: ts.SourceFile): string[] {
  const comment = ts
    .getJSDocCommentsAndTags(option)
    .flatMap(({ comment: text }) => (typeof text === 'string' ? text : []));
  const [, meaning = '', defaultValue = ''] =
    /^(.*?)(?: Default: (.*?)\.?)?$/s.exec(comment.join(' ').replaceAll(/\s+/g, ' ')) ?? [];
  return [code(option.name.getText(file)), code(type), meaning, defaultValue];
}
