import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { type Document, isNode, type Node, toNode } from './document.ts';
import { METHODS_32, OTHER_OPERATIONS } from './path-items.ts';
import { createPartLocator, isInExtension, type SourceFile, type SourceFiles, type Target } from './source-files.ts';
import { createLocator, type Locate } from './source-location.ts';
import { getKind } from './walk-schemas.ts';

/** An OpenAPI document that combines the main file with the parts of other files to which the main file refers. */
export interface Bundle {
  readonly document: Document;
  readonly issues: readonly Issue[];
  /**
   * Formats the source position of a value, such as `pet.yaml:3:5 #/type`.
   * The argument is the JSON Pointer of the value in `document`.
   */
  readonly locate: Locate;
}

/**
 * For a keyword, the section of `components` to which values from other files are added.
 * For example, a value from another file below `responses` becomes a component in `components/responses`.
 * A value below any other keyword becomes a schema.
 */
const CONTAINERS: Readonly<Record<string, string>> = {
  parameters: 'parameters',
  headers: 'headers',
  responses: 'responses',
  examples: 'examples',
  requestBodies: 'requestBodies',
  requestBody: 'requestBodies',
  links: 'links',
  callbacks: 'callbacks',
  securitySchemes: 'securitySchemes',
  paths: 'pathItems',
  webhooks: 'pathItems',
  pathItems: 'pathItems',
  content: 'mediaTypes',
  mediaTypes: 'mediaTypes',
};

/**
 * Matches a `$ref` to another file, to an extension (`#/x-…`) or to an anchor (`#name`), and each `$dynamicRef`.
 * Does not match `#/components/schemas/Pet`.
 */
const OTHER_REFERENCE = /\$(?:dynamicRef|ref["']?\s*:\s*["']?(?:#(?!\/(?!x-))|[^#"'\s]))/;

/**
 * Returns a document without references to other files.
 * A schema, response or other part from another file becomes a component.
 * A path item or an operation from another file replaces its reference.
 * A reference to an anchor becomes a reference with a JSON Pointer.
 * `issues`: references without a target.
 * Throws `UserError` if a file has a syntax error.
 * `main.content`: the parsed document.
 */
export function bundleDocument(files: SourceFiles, main: SourceFile): Bundle {
  if (!OTHER_REFERENCE.test(main.text) && !/\$(?:id|self)\b/.test(main.text))
    return {
      document: main.content as Document,
      issues: [],
      locate: createLocator(main.path, main.bytes ?? main.text, main.toSourcePointer),
    };
  return new Bundler(files, main).bundle();
}

/** The keys of a path item with operations. */
const OPERATION_KEYS: ReadonlySet<string> = new Set([...METHODS_32, OTHER_OPERATIONS]);

/** The position of a node in the bundled document. */
interface Place {
  readonly file: SourceFile;
  /** The JSON Pointer in the file. */
  readonly source: string;
  /** The JSON Pointer in the bundled document. */
  readonly pointer: string;
  /** The section of `components` for the node or for its children, such as `responses`. */
  readonly kind: string;
  /**
   * Whether the keys of the node are names that the author has chosen, such as the keys of `properties`.
   * Otherwise the keys are keywords.
   */
  readonly isNames: boolean;
}

class Bundler {
  readonly #files: SourceFiles;
  readonly #main: SourceFile;
  readonly #issues: Issue[] = [];
  /** The JSON Pointers of components. The key is the source of the component's value: `FILE#POINTER`. */
  readonly #components = new Map<string, string>();
  /** The names of the components that the bundled document already has, such as `schemas/Pet`. */
  readonly #taken = new Set<string>();
  readonly #added = new Map<string, Map<string, unknown>>();
  /** The sources of the values from other files, by the JSON Pointer of the value in the bundled document. */
  readonly #origins = new Map<string, Target>();
  /**
   * The sources of the values that are being copied, as `FILE#POINTER`.
   * A value that contains itself is found here a second time.
   */
  readonly #moving: string[] = [];

  constructor(files: SourceFiles, main: SourceFile) {
    this.#files = files;
    this.#main = main;
  }

  bundle(): Bundle {
    this.#nameComponents();
    const document = this.#visit(this.#main.content, {
      file: this.#main,
      source: '',
      pointer: '',
      kind: 'schemas',
      isNames: false,
    }) as Document;
    const components: Record<string, unknown> = { ...toNode(document.components) };
    for (const [kind, entries] of this.#added)
      components[kind] = { ...toNode(components[kind]), ...Object.fromEntries(entries) };
    const bundled = this.#added.size === 0 ? document : ({ ...document, components } as Document);
    const { path, text, bytes = text, toSourcePointer } = this.#main;
    const locate = createPartLocator(createLocator(path, bytes, toSourcePointer), this.#origins);
    return { document: bundled, issues: this.#issues, locate };
  }

  /**
   * Finds the components that only refer to another file, such as `Pet: { $ref: pet.yaml }`.
   * The value in that file gets the name `Pet`.
   */
  #nameComponents(): void {
    const root = { file: this.#main, pointer: '', node: this.#main.content };
    for (const [kind, group] of this.#listChildren(this.#getChild(root, 'components'))) {
      for (const [name, target] of this.#listChildren(group)) {
        this.#taken.add(`${kind}/${name}`);
        if (!this.#isReachable(target) && !this.#components.has(getKey(target)))
          this.#components.set(getKey(target), formatPointer('components', kind, name));
      }
    }
  }

  #listChildren(target: Target): readonly (readonly [string, Target])[] {
    return Object.keys(toNode(target.node)).map((key) => [key, this.#getChild(target, key)]);
  }

  /**
   * Returns the child of a node at a key.
   * If the child is a reference to an existing value, returns that value instead.
   */
  #getChild({ file, pointer, node }: Target, key: string): Target {
    const child = { file, pointer: pointer + formatPointer(key), node: toNode(node)[key] };
    const { $ref } = toNode(child.node);
    const target = typeof $ref === 'string' ? this.#files.find(file, $ref, { from: child.pointer }) : child;
    return typeof target === 'string' ? child : target;
  }

  /** Returns a copy of a node in which each reference points to a part of the bundled document. */
  #visit(node: unknown, place: Place): unknown {
    if (Array.isArray(node))
      return node.map((entry, index) => this.#visit(entry, { ...getChildPlace(place, String(index)), isNames: false }));
    if (!isNode(node)) return node;
    const { $ref, $dynamicRef, ...rest } = node;
    const reference = $ref ?? (place.isNames ? undefined : $dynamicRef);
    if (typeof reference !== 'string') return this.#visitEntries(node, place);
    return this.#follow(reference, rest, place, $ref === undefined);
  }

  #visitEntries(node: Node, place: Place): Node {
    const entries = Object.entries(node).map(([key, value]) => {
      const inner = getChildPlace(place, key);
      const valueKind = getKind(key, place.isNames);
      if (key === 'mapping' && !place.isNames) return [key, this.#visitMapping(value, inner)];
      if (key === 'defaultMapping' && !place.isNames) return [key, this.#visitMapped(value, inner)];
      if (key === 'security' && !place.isNames) return [key, this.#visitSecurity(value, inner)];
      const isExamples = key === 'examples' && !place.isNames && isNode(value);
      if (isExamples) return [key, this.#visitExamples(value, inner)];
      if (valueKind === 'value') return [key, value];
      const isOperation = place.kind === 'pathItems' && OPERATION_KEYS.has(key);
      const keepsKind = place.isNames || isPaths(place.pointer) || isOperation;
      const kind = keepsKind ? place.kind : (CONTAINERS[key] ?? 'schemas');
      const isNames = valueKind === 'names' || (key === 'content' && !place.isNames);
      return [key, this.#visit(value, { ...inner, kind, isNames })];
    });
    return Object.fromEntries(entries);
  }

  /**
   * Returns a copy of `examples` in which references to Example Objects point to the bundled document.
   * The examples themselves are data and stay unchanged.
   */
  #visitExamples(examples: Node, place: Place): Node {
    const entries = Object.entries(examples).map(([name, example]) => {
      const isReference = isNode(example) && typeof example.$ref === 'string';
      const inner = { ...getChildPlace(place, name), kind: 'examples' };
      return [name, isReference ? this.#visit(example, inner) : example];
    });
    return Object.fromEntries(entries);
  }

  /**
   * Returns a copy of the `mapping` of a discriminator in which references point to the bundled document.
   * The name of a schema stays unchanged.
   */
  #visitMapping(mapping: unknown, place: Place): unknown {
    if (!isNode(mapping)) return mapping;
    const entries = Object.entries(mapping).map(([name, value]) => [
      name,
      this.#visitMapped(value, getChildPlace(place, name)),
    ]);
    return Object.fromEntries(entries);
  }

  #visitMapped(value: unknown, place: Place): unknown {
    if (typeof value !== 'string' || !/#|\.(ya?ml|json)$/i.test(value)) return value;
    return this.#toLocal(value, { ...place, kind: 'schemas', isNames: false }) ?? value;
  }

  /** Returns a reference to the same value in the bundled document; undefined if the value does not exist. */
  #toLocal(reference: string, place: Place): string | undefined {
    if (typeof this.#files.find(place.file, reference, { from: place.source }) === 'string') return undefined;
    const { $ref } = toNode(this.#follow(reference, {}, place));
    return typeof $ref === 'string' ? $ref : undefined;
  }

  /**
   * Returns a copy of security requirements in which URIs of security schemes (OpenAPI 3.2) point to the bundled
   * document.
   */
  #visitSecurity(requirements: unknown, place: Place): unknown {
    if (!Array.isArray(requirements)) return requirements;
    return requirements.map((requirement: unknown, index) => {
      if (!isNode(requirement)) return requirement;
      const inner = { ...getChildPlace(place, String(index)), kind: 'securitySchemes', isNames: false };
      const entries = Object.entries(requirement).map(([name, scopes]) => [
        (/#\//.test(name) ? this.#toLocal(name, inner) : undefined) ?? name,
        scopes,
      ]);
      return Object.fromEntries(entries);
    });
  }

  /**
   * Returns the node that replaces a reference: a reference to a part of the bundled document, or a copy of the target.
   * `siblings`: the other keys of the object that has the `$ref`.
   * `isDynamic`: whether it is a `$dynamicRef`.
   */
  #follow(reference: string, siblings: Node, place: Place, isDynamic = false): unknown {
    const target = this.#files.find(place.file, reference, { from: place.source, isDynamic });
    if (typeof target === 'string') return this.#refuse(reference, siblings, place, target);
    // `components: { $ref: components.yaml }`, and other parts of the document itself.
    const isTop = parsePointer(place.pointer).length === 1;
    const isMoved = isTop || place.isNames || place.kind === 'pathItems' || !isNode(target.node);
    const component = this.#components.get(getKey(target));
    if (!this.#isReachable(target) && (isMoved || component === place.pointer))
      return this.#move(target, siblings, place);
    const pointer = this.#isReachable(target) ? target.pointer : (component ?? this.#addComponent(target, place.kind));
    const isSame = place.file === this.#main && reference === `#${pointer}`;
    return { ...this.#visitEntries(siblings, place), $ref: isSame ? reference : `#${encodeURI(pointer)}` };
  }

  #refuse(reference: string, siblings: Node, place: Place, message: string): Node {
    // `checkStructure` reports a reference to a missing part of the main file.
    const isLocal = place.file === this.#main && reference.startsWith('#/');
    const issue = { pointer: `${place.pointer}/$ref`, message: `refers to ${JSON.stringify(reference)}, ${message}` };
    if (!isLocal) this.#issues.push(issue);
    return { ...siblings, $ref: reference };
  }

  /**
   * Returns whether references can point directly to a target, because it is in the main file and not in an extension.
   */
  #isReachable({ file, pointer }: Target): boolean {
    return file === this.#main && !isInExtension(pointer);
  }

  /** Returns a copy of the target of a reference. The copy replaces the reference. */
  #move(target: Target, siblings: Node, place: Place): unknown {
    const key = getKey(target);
    if (this.#moving.includes(key)) {
      this.#issues.push({
        pointer: place.pointer,
        message: `refers to ${target.file.path}, which refers back to itself`,
      });
      return {};
    }
    this.#origins.set(place.pointer, target);
    this.#moving.push(key);
    const copy = this.#visit(target.node, { ...place, file: target.file, source: target.pointer });
    this.#moving.pop();
    return isNode(copy) ? { ...copy, ...this.#visitEntries(siblings, place) } : copy;
  }

  /** Adds a component with a copy of the target of a reference. Returns the JSON Pointer of the component. */
  #addComponent(target: Target, kind: string): string {
    const added = this.#added.get(kind) ?? new Map<string, unknown>();
    this.#added.set(kind, added);
    const base = createName(target);
    let name = base;
    for (let number = 2; this.#taken.has(`${kind}/${name}`); number++) name = `${base}${number}`;
    this.#taken.add(`${kind}/${name}`);
    const pointer = formatPointer('components', kind, name);
    this.#components.set(getKey(target), pointer);
    this.#origins.set(pointer, target);
    const place = { file: target.file, source: target.pointer, pointer, kind, isNames: false };
    added.set(name, this.#visit(target.node, place));
    return pointer;
  }
}

function getChildPlace(place: Place, key: string): Place {
  const step = formatPointer(key);
  return { ...place, pointer: place.pointer + step, source: place.source + step };
}

function getKey({ file, pointer }: Target): string {
  return `${file.path}#${pointer}`;
}

function isPaths(pointer: string): boolean {
  return pointer === '/paths' || pointer === '/webhooks';
}

/**
 * Creates the name of a new component: the last segment of the value's JSON Pointer, such as `Pet`, or else the file
 * name without extension.
 */
function createName({ file, pointer }: Target): string {
  const name = parsePointer(pointer).at(-1) ?? file.path.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '');
  return name.replaceAll(/[^\w.-]+/g, '_') || 'part';
}
