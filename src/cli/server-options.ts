import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { OPTION_CHOICES } from '../server/options.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { OptionRow } from './option-values.ts';
import {
  parseAuth,
  parseDelay,
  parseHostNames,
  parseList,
  parseOrigins,
  parsePaths,
  parsePort,
  parseText,
} from './option-values.ts';

/** The options for the data file and the default data. */
const DATA_OPTIONS: readonly OptionRow[] = [
  ['--data <file>', 'path of the data file for the state', parseText, 'db.json'],
  [
    '--default-data <file>',
    'file with the data that a reset restores (default: the examples in the contract, or the sample data of the built-in shop)',
    parseText,
  ],
];

const CONTRACT_OPTION: OptionRow = [
  '--contract <file>',
  'path of the contract, an OpenAPI 3.0 or 3.1 document (default: the contract of the built-in shop)',
  parseText,
];

const ALLOW_REFS_OPTION: OptionRow = [
  '--allow-refs <paths>',
  'comma-separated files and folders that the contract can include with $ref, outside its own folder or Git repository (env: STOREFRONT_ALLOW_REFS)',
  parsePaths,
];

const STRICT_OPTION: OptionRow = [
  '--strict',
  'reject requests with properties or query parameters that the contract does not define (default: ignore these properties and parameters)',
];

const MOCK_OPTION: OptionRow = [
  '--mock [operations]',
  'mock all operations, or only the operations with these comma-separated operationIds',
  parseList,
];

const HANDLERS_OPTION: OptionRow = [
  '--handlers <file>',
  'path of a module with handlers by operationId; they take precedence over built-in handlers',
  parseText,
];

/** The options of `storefront repair`. */
export const REPAIR_OPTIONS: readonly OptionRow[] = [...DATA_OPTIONS, CONTRACT_OPTION, ALLOW_REFS_OPTION];

/** The options of `storefront explain`. */
export const EXPLAIN_OPTIONS: readonly OptionRow[] = [
  MOCK_OPTION,
  HANDLERS_OPTION,
  ALLOW_REFS_OPTION,
  ['--json', 'print JSON instead of a table'],
];

/** The options of the database, for the server and for `storefront migrate`. */
export const DATABASE_OPTIONS: readonly OptionRow[] = [
  [
    '--database <url>',
    'URL of a PostgreSQL database that stores the state; several servers can share it (env: DATABASE_URL)',
    parseText,
  ],
  ['--database-schema <name>', 'database schema that contains the tables (default: storefront)', parseText],
];

/** The options of the server. */
export const SERVER_OPTIONS: readonly OptionRow[] = [
  ['--port <number>', 'port to listen on; 0 picks a free port (env: PORT)', parsePort, 3000],
  ['--host <address>', 'address to listen on (env: HOST; default: 127.0.0.1 and ::1)', parseText],
  ...DATA_OPTIONS,
  ...DATABASE_OPTIONS,
  [
    '--durability <mode>',
    'durability of changes: disk (they survive a power cut) or memory (they are lost when the server stops)',
    OPTION_CHOICES.durability,
    'disk',
  ],
  ['--synonyms <file>', 'path of a JSON file with words that mean the same in a search', parseText],
  ['--static <folder>', 'folder with a built front end to serve', parseFolder],
  STRICT_OPTION,
  CONTRACT_OPTION,
  ALLOW_REFS_OPTION,
  MOCK_OPTION,
  HANDLERS_OPTION,
  [
    '--verify <mode>',
    'validation of responses: log (log violations), strict (also replace the response with a 500 response) or off',
    OPTION_CHOICES.verify,
    'log',
  ],
  [
    '--sandboxes <mode>',
    'sandboxes that requests can use: any (a new sandbox is created by its first request), or declared (only those that the control API has created)',
    OPTION_CHOICES.sandboxes,
    'any',
  ],
  ['--snapshots <folder>', 'folder with your snapshots: one file NAME.json for each snapshot', parseFolder],
  [
    '--auth <mode>',
    'credentials to accept for operations with a security requirement: form (any credentials in a valid format), off (do not check), or comma-separated tokens; TOKEN=read+write limits the token to the scopes read and write, and TOKEN=@ann is the token of the user with the id or login ann (default: form)',
    parseAuth,
  ],
  ['--delay <ms>', 'delay of each response: milliseconds or a range (200-800), up to 60000 (default: 0)', parseDelay],
  ['--no-control', 'disable the control API, except /_control/health and /_control/ready'],
  ['--control-token <token>', 'bearer token that the control API requires (env: STOREFRONT_CONTROL_TOKEN)', parseText],
  [
    '--allow-host <names>',
    'comma-separated host names of the server, in addition to localhost and IP addresses, that requests and pages can use; a leading dot (.example.test) includes subdomains; * allows all names in the Host header',
    parseHostNames,
  ],
  [
    '--allow-origin <origins>',
    'comma-separated origins, such as https://a.test or https://*.a.test, whose pages may send requests (CORS); * allows all origins, and localhost is always allowed',
    parseOrigins,
  ],
  [
    '--log <format>',
    'log format; with off, only warnings and errors are logged (default: pretty on a terminal, otherwise json)',
    OPTION_CHOICES.log,
  ],
];

function parseFolder(path: string): string {
  if (tryOrUndefined(() => statSync(path).isDirectory())) return path;
  throw new InvalidArgumentError('Use the path of an existing folder.');
}
