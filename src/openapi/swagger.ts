import type * as Converter from 'swagger2openapi';
import { type Issue, UserError } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { loadPackage } from '../util/load-package.ts';
import { type Document, isNode, type Node, parseSource, resolveNode, toNode } from './document.ts';
import type { DocumentSource } from './document-source.ts';
import { mapNodes } from './walk-schemas.ts';

/** Matches a text that can be a Swagger 2.0 document. */
const MAYBE_SWAGGER = /\bswagger["']?\s*:\s*["']?2/;

/** The property with which swagger2openapi marks what it can't convert. */
const WARNING = 'x-s2o-warning';

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0 with swagger2openapi. Returns any other document unchanged.
 * Loading and converting takes 0.1 s.
 * Rejects with a `UserError` if the converter is not installed, or can't convert the document.
 */
export async function convertSwagger(source: DocumentSource): Promise<DocumentSource> {
  const { path } = source;
  const text = source.bytes.toString();
  if (!MAYBE_SWAGGER.test(text)) return source;
  const { content: swagger } = parseSource(path, text);
  if (!isNode(swagger) || !/^2(?:\.0)?$/.test(String(swagger.swagger))) return source;
  const converter = loadConverter(path);
  // A document without media types is about JSON. The converter would document `*/*` for its responses.
  const { content } = parseSource(path, text) as { readonly content: Node };
  try {
    const options = { patch: true, warnOnly: true };
    const { openapi } = await converter.convertObj<Document>({ produces: ['application/json'], ...content }, options);
    const converted = { document: openapi, issues: findWarnings(openapi) };
    return { ...source, converted, toSourcePointer: (pointer) => toSwaggerPointer(swagger, pointer) };
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new UserError(`${path} can't be converted from Swagger 2.0 to OpenAPI 3.0: ${reason}`, { cause });
  }
}

/** Says in reports that a document was converted. */
export function describeConversion(path: string): string {
  return `${path} is a Swagger 2.0 document, and was converted to OpenAPI 3.0 with swagger2openapi`;
}

/** Loads the converter, an optional peer dependency. */
function loadConverter(path: string): typeof Converter {
  try {
    return loadPackage('swagger2openapi');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new UserError(
      `${path} is a Swagger 2.0 document, which needs a converter. Install it beside storefront: npm install --save-dev swagger2openapi@7`,
      { cause },
    );
  }
}

function findWarnings(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  mapNodes(document, (node, pointer) => {
    if (typeof node[WARNING] === 'string') issues.push({ pointer, message: `was not converted: ${node[WARNING]}` });
    return node;
  });
  return issues;
}

/** The sections of `components`, and those of a Swagger document. */
const SECTIONS: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  requestBodies: 'parameters',
  securitySchemes: 'securityDefinitions',
};

/** Returns the JSON Pointer in a Swagger document of a value in the converted document. */
function toSwaggerPointer(swagger: Node, pointer: string): string {
  const [first = '', second = '', ...rest] = parsePointer(pointer);
  if (first === 'servers') return formatPointer(swagger.basePath === undefined ? 'host' : 'basePath');
  if (first === 'components') return formatPointer(SECTIONS[second] ?? second, ...withoutWrappers(rest));
  if (first !== 'paths') return pointer;
  const isOperation = rest[0] !== 'parameters';
  const [inner, ...steps] = isOperation ? rest.slice(1) : rest;
  const place = ['paths', second, ...(isOperation ? rest.slice(0, 1) : [])];
  const { [second]: item } = toNode(swagger.paths);
  const owner = isOperation ? toNode(toNode(item)[rest[0] ?? '']) : toNode(item);
  const parameters = Array.isArray(owner.parameters)
    ? owner.parameters.map((one) => toNode(resolveNode(swagger, one)))
    : [];
  if (inner === 'requestBody') return formatPointer(...place, 'parameters', ...findBodyPlace(parameters, steps));
  if (inner !== 'parameters')
    return formatPointer(...place, ...(inner === undefined ? [] : [inner]), ...withoutWrappers(steps));
  const kept = parameters.flatMap((one, index) => (isBodyPart(one) ? [] : index));
  const [index = '', ...others] = steps;
  return formatPointer(...place, 'parameters', String(kept[Number(index)] ?? index), ...withoutWrappers(others));
}

function isBodyPart(parameter: Node): boolean {
  return parameter.in === 'body' || parameter.in === 'formData';
}

/** Returns the steps from `parameters` to a value of the request body: `0/schema`, or the field of a form. */
function findBodyPlace(parameters: readonly Node[], steps: readonly string[]): readonly (string | number)[] {
  const body = parameters.findIndex((one) => one.in === 'body');
  if (body >= 0) return [body, ...withoutWrappers(steps)];
  const [name, ...rest] = steps[3] === 'properties' ? steps.slice(4) : [];
  const field = parameters.findIndex((one) => one.in === 'formData' && (name === undefined || one.name === name));
  return field < 0 ? [] : [field, ...rest];
}

/**
 * Removes the steps that only OpenAPI 3 has: `content` with the media type, and `schema` of a parameter or a header.
 * The schema of a body stays.
 */
function withoutWrappers(steps: readonly string[]): readonly string[] {
  const content = steps.indexOf('content');
  if (content >= 0 && content < 2) {
    const [type = '', kind, ...rest] = steps.slice(content + 1);
    if (kind === 'examples' || kind === 'example') return [...steps.slice(0, content), 'examples', type];
    return [...steps.slice(0, content), ...(kind === undefined ? [] : [kind]), ...rest];
  }
  const schema = steps.indexOf('schema');
  const isHeader = schema > 0 && steps[schema - 2] === 'headers';
  return isHeader || schema === 0 ? steps.filter((_, index) => index !== schema) : steps;
}
