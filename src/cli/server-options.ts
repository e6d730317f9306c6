import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { OptionRow } from './option-table.ts';
import { parseDelay, parseHostNames, parseList, parseOrigins, parsePort, parseText } from './option-values.ts';

/** The options for the data file and the default data. */
export const DATA_OPTIONS: readonly OptionRow[] = [
  ['--data <file>', 'path of the data file, which stores the state', parseText, 'db.json'],
  [
    '--default-data <file>',
    'path of the default data, which a reset restores (default: db.json.default of the package)',
    parseText,
  ],
];

/** The options of the server. */
export const SERVER_OPTIONS: readonly OptionRow[] = [
  ['--port <number>', 'port to listen on; 0 picks a free port (env: PORT)', parsePort, 3000],
  ['--host <address>', 'address to listen on (default: 127.0.0.1 and ::1)', parseText],
  ...DATA_OPTIONS,
  [
    '--durability <mode>',
    'how changes are stored: disk (they survive a power cut), os (they survive a crash of the server), or memory (they are lost when the server stops)',
    ['disk', 'os', 'memory'],
    'disk',
  ],
  ['--static <folder>', 'folder with a built front end to serve', parseFolder],
  ['--strict', 'reject properties and parameters that the contract does not define, instead of ignoring them'],
  ['--contract <file>', 'contract: an OpenAPI 3.0 or 3.1 document (default: openapi.yaml of the package)', parseText],
  ['--mock [operations]', 'mock all operations, or only those with these ids (a,b)', parseList],
  ['--handlers <file>', 'module with handlers by operationId, which replace or extend the built-in ones', parseText],
  [
    '--verify <mode>',
    'log responses that violate the contract, replace them with a 500 response (strict), or do not check responses (off)',
    ['log', 'strict', 'off'],
    'log',
  ],
  [
    '--sandboxes <mode>',
    'sandboxes that requests can use: any, or only those created through the control API (declared)',
    ['any', 'declared'],
    'any',
  ],
  ['--snapshots <folder>', 'folder with additional built-in snapshots, one file NAME.json for each', parseFolder],
  ['--delay <ms>', 'delay of each response: milliseconds or a range (200-800), up to 60000 (default: 0)', parseDelay],
  ['--no-control', 'disable the control API, except /_control/health'],
  ['--control-token <token>', 'bearer token that the control API requires (env: STOREFRONT_CONTROL_TOKEN)', parseText],
  [
    '--allow-host <names>',
    'host names to allow in addition to localhost and IP addresses (a,.b.test); * allows all',
    parseHostNames,
  ],
  [
    '--allow-origin <origins>',
    'origins to allow in addition to those of localhost (https://a.test,https://b.test); * allows all',
    parseOrigins,
  ],
  [
    '--log <format>',
    'log format; with off, only warnings and errors are logged (default: pretty on a terminal, else json)',
    ['pretty', 'json', 'off'],
  ],
];

function parseFolder(path: string): string {
  if (tryOrUndefined(() => statSync(path).isDirectory())) return path;
  throw new InvalidArgumentError('Use the path of an existing folder.');
}
