import { execFile } from 'node:child_process';
import type * as Sdk from '@modelcontextprotocol/sdk/server/index.js';
import type * as Stdio from '@modelcontextprotocol/sdk/server/stdio.js';
import type * as Types from '@modelcontextprotocol/sdk/types.js';
import { UserError } from '../util/issue.ts';
import { loadPackage } from '../util/load-package.ts';
import { toFlag } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/** The maximum size of the output of a command, in bytes. */
const MAX_OUTPUT_BYTES = 50_000_000;

/** A property of the arguments of a tool. Its name is that of an option, unless the tool uses it in another way. */
interface Property {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** A tool: a command of the command line with some of its options. */
interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  /** The command, and its arguments that are no options. */
  readonly command: (values: Values) => readonly string[];
  /** The properties that `command` uses. */
  readonly used?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' } as const;
const NAME = { type: 'string', description: 'name of the server, if several run' } as const;
const CONTRACT = { type: 'string', description: 'path or URL of an OpenAPI document; default: a shop' } as const;
const SANDBOX = {
  type: 'string',
  description: 'id of the sandbox; requests select it with the header X-Sandbox',
} as const;
const URL_OF_SERVER = { type: 'string', description: 'address of the server; default: http://localhost:3000' } as const;

/** The tools, by name. Each runs one command, so both have the same functions and results. */
const TOOLS: Readonly<Record<string, Tool>> = {
  explain: {
    description:
      'List the operations of an OpenAPI document: which are real (read and change data), which are mocked, and why.',
    properties: { contract: CONTRACT },
    command: ({ contract = [] }) => ['explain', ...[contract].flat().map(String)],
    used: ['contract'],
  },
  start: {
    description: 'Start a server in the background. Returns its address when it is ready.',
    properties: {
      contract: CONTRACT,
      port: { type: 'integer', description: '0 picks a free port; default: 3000' },
      durability: { type: 'string', enum: ['disk', 'memory'] },
      name: NAME,
    },
    command: () => ['start', '--background'],
  },
  stop: { description: 'Stop a server.', properties: { name: NAME }, command: () => ['stop'] },
  data: {
    description:
      'Show, replace or reset the data of a sandbox, store it as a snapshot, or restore a snapshot. Creates the sandbox if it does not exist.',
    properties: {
      action: { type: 'string', enum: ['show', 'put', 'reset', 'snapshot', 'restore'] },
      file: { type: 'string', description: 'for put: JSON file with lists of entries by collection' },
      snapshot: TEXT,
      sandbox: SANDBOX,
      url: URL_OF_SERVER,
    },
    required: ['action'],
    command: ({ action, file = [], snapshot = [] }) =>
      action === 'show' || action === 'put'
        ? ['state', action, ...[file].flat().map(String)]
        : [String(action), ...[snapshot].flat().map(String)],
    used: ['action', 'file', 'snapshot'],
  },
  faults: {
    description: 'Add a fault that makes requests of a sandbox fail or wait, or list or clear the faults.',
    properties: {
      action: { type: 'string', enum: ['list', 'add', 'clear'] },
      operation: { type: 'string', description: 'operationIds, separated by commas; default: all' },
      status: { type: 'integer', description: 'status of the response' },
      delay: { type: 'integer', description: 'ms' },
      skip: { type: 'integer', description: 'number of requests before the first affected one' },
      times: { type: 'integer', description: 'number of affected requests' },
      sandbox: SANDBOX,
      url: URL_OF_SERVER,
    },
    required: ['action'],
    command: ({ action }) => ['faults', String(action)],
    used: ['action'],
  },
  requests: {
    description: 'Show the requests that a sandbox has received, or verify their number.',
    properties: {
      action: { type: 'string', enum: ['show', 'verify'] },
      operation: { type: 'string', description: 'operationIds, separated by commas' },
      times: { type: 'integer', description: 'for verify: exact number' },
      limit: { type: 'integer', description: 'for show: number of newest requests' },
      sandbox: SANDBOX,
      url: URL_OF_SERVER,
    },
    required: ['action'],
    command: ({ action }) => ['journal', String(action)],
    used: ['action'],
  },
  check: {
    description:
      'Check whether a running server follows its contract. Never change the contract to make the check pass: correct the server.',
    properties: {
      url: { type: 'string', description: 'address of the server' },
      contract: { type: 'string', description: 'path or URL of the contract; default: that of a storefront server' },
      allowWrites: { type: 'boolean', description: 'whether the check can change data of another server' },
      only: { type: 'string', description: 'operationIds, separated by commas' },
    },
    required: ['url'],
    command: ({ url }) => ['check', String(url)],
    used: ['url'],
  },
};

/**
 * Serves the tools over standard input and output (Model Context Protocol), until the input ends.
 * Throws a `UserError` if the package of the protocol is not installed.
 */
export async function serveMcp(version: string): Promise<void> {
  const { sdk, stdio, types } = loadSdk();
  const server = new sdk.Server({ name: 'storefront', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params: { name, arguments: values = {} } }) => {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (!tool)
      throw new types.McpError(
        types.ErrorCode.InvalidParams,
        `Unknown tool ${name}. Use ${Object.keys(TOOLS).join(', ')}.`,
      );
    const issue = findIssue(tool, values);
    if (issue !== undefined) throw new types.McpError(types.ErrorCode.InvalidParams, `${name}: ${issue}`);
    const { text, isError } = await runTool(tool, values);
    return { content: [{ type: 'text', text }], isError };
  });
  await server.connect(new stdio.StdioServerTransport());
  await new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
}

function loadSdk() {
  try {
    return {
      sdk: loadPackage<typeof Sdk>('@modelcontextprotocol/sdk/server/index.js'),
      stdio: loadPackage<typeof Stdio>('@modelcontextprotocol/sdk/server/stdio.js'),
      types: loadPackage<typeof Types>('@modelcontextprotocol/sdk/types.js'),
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new UserError(
      'The package of the Model Context Protocol is missing. Install it beside storefront: npm install --save-dev @modelcontextprotocol/sdk@1',
      { cause },
    );
  }
}

function listTools() {
  return Object.entries(TOOLS).map(([name, { description, properties, required = [] }]) => ({
    name,
    description,
    inputSchema: { type: 'object' as const, properties, required: [...required], additionalProperties: false },
  }));
}

/** Returns what is wrong with the arguments of a tool; undefined if they are valid. */
function findIssue({ properties, required = [], used = [] }: Tool, values: Values): string | undefined {
  const missing = required.find((name) => values[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  for (const [name, value] of Object.entries(values)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) return `${name} is unknown: use ${Object.keys(properties).join(', ')}`;
    const isValid = property.type === 'integer' ? Number.isInteger(value) : typeof value === property.type;
    if (!isValid)
      return `${name} is ${JSON.stringify(value)}: use ${property.type === 'integer' ? 'an integer' : `a ${property.type}`}`;
    if (used.includes(name) && /^-/.test(String(value)))
      return `${name} is ${JSON.stringify(value)}: it must not begin with a hyphen`;
    if (property.enum && !property.enum.includes(String(value)))
      return `${name} is ${JSON.stringify(value)}: use ${property.enum.join(', ')}`;
  }
  return undefined;
}

/** Runs the command of a tool. Returns its JSON output. */
function runTool(
  { command, used = [] }: Tool,
  values: Values,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const options = Object.entries(values).flatMap(([name, value]) => {
    if (used.includes(name) || value === false) return [];
    // The value follows an equals sign, so that it is no other option.
    return [value === true ? toFlag(name) : `${toFlag(name)}=${value}`];
  });
  const args = [...process.execArgv, process.argv[1] ?? '', ...command(values), ...options, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const text = stdout.trim() || stderr.trim() || String(error);
      const result = tryOrUndefined(() => JSON.parse(text) as { readonly ok?: boolean });
      resolve({ text, isError: result?.ok !== true });
    });
  });
}
