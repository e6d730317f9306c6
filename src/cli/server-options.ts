import { statSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { parseDelay, parseHostNames, parseList, parseOrigins, parsePort, parseText } from './option-values.ts';

/** Returns the options of the server. The log is readable on a terminal by default, else JSON. */
export function createServerOptions(isTerminal: boolean): readonly Option[] {
  return [
    option('--port <number>', 'port to listen on; 0 picks a free port (env: PORT)').argParser(parsePort).default(3000),
    option('--host <address>', 'address to listen on (default: 127.0.0.1 and ::1)').argParser(parseText),
    ...createDataOptions(),
    option('--durability <mode>', 'what a committed change survives: a power cut, a crash of the server, or neither')
      .choices(['disk', 'os', 'memory'])
      .default('disk'),
    option('--static <folder>', 'folder with a built front end to serve').argParser(parseFolder),
    option('--strict', 'reject names that the contract does not define, instead of ignoring them'),
    option(
      '--contract <file>',
      'contract to serve, an OpenAPI document 3.0 or 3.1; operations without a handler are mocked (default: openapi.yaml of the package)',
    ).argParser(parseText),
    option('--mock [operations]', 'mock all operations, or those with the given ids (a,b)').argParser(parseList),
    option(
      '--handlers <file>',
      'module with handlers by operationId, which replace or extend the built-in ones',
    ).argParser(parseText),
    option('--verify <mode>', 'responses that violate the contract: log them, replace them with 500, or do not check')
      .choices(['log', 'strict', 'off'])
      .default('log'),
    option('--sandboxes <mode>', 'sandboxes that requests can name: any, or only those that the control API created')
      .choices(['any', 'declared'])
      .default('any'),
    option(
      '--snapshots <folder>',
      'folder with additional built-in snapshots, NAME.json each: a whole state, or the lists that differ from the default data',
    ).argParser(parseFolder),
    option('--delay <ms>', 'delay of responses: milliseconds or a range (200-800), up to 60000 (default: 0)').argParser(
      parseDelay,
    ),
    option('--no-control', 'disable the control API, except /_control/health'),
    option(
      '--control-token <token>',
      'bearer token that the control API requires (env: STOREFRONT_CONTROL_TOKEN)',
    ).argParser(parseText),
    option(
      '--allow-host <names>',
      'allowed host names besides localhost and IP addresses (a,.b.test); * allows all',
    ).argParser(parseHostNames),
    option(
      '--allow-origin <origins>',
      'allowed origins besides those of localhost (https://a.test,https://b.test); * allows all',
    ).argParser(parseOrigins),
    option('--log <format>', 'format of the log, which has a line for each request; off logs only warnings and errors')
      .choices(['pretty', 'json', 'off'])
      .default(isTerminal ? 'pretty' : 'json', 'pretty on a terminal, else json'),
  ];
}

/** Returns the options that name the data file and the default data. */
export function createDataOptions(): readonly Option[] {
  return [
    option('--data <file>', 'data file, which stores the state').argParser(parseText).default('db.json'),
    option(
      '--default-data <file>',
      'default data, which a reset restores (default: db.json.default of the package)',
    ).argParser(parseText),
  ];
}

function option(flags: string, description: string): Option {
  return new Option(flags, description);
}

function parseFolder(path: string): string {
  try {
    if (statSync(path).isDirectory()) return path;
  } catch {
    // Reported below: the folder does not exist or can't be accessed.
  }
  throw new InvalidArgumentError('Use the path of an existing folder.');
}
