import { pathToFileURL } from 'node:url';
import { type Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { type Loader, lilconfig } from 'lilconfig';
import { validateSettings } from '../check/operation-settings.ts';
import { parseUrl } from '../check/options.ts';
import type { CheckConfig, Config } from '../config.ts';
import { refuseInvalidOptions } from '../options.ts';
import { UserError } from '../util/issue.ts';
import { suggestOneOf } from '../util/names.ts';

/** The files that can have a configuration, in the order in which they are tried. */
const FILES = ['storefront.config.mjs', 'storefront.config.js', 'storefront.config.json', 'package.json'];

/**
 * Reads the configuration in a folder: a file `storefront.config.*`, or the property `storefront` of `package.json`.
 * Returns an empty configuration if there is none.
 * Rejects with a `UserError` if the configuration is invalid.
 */
export async function loadConfig(folder: string): Promise<Config> {
  const loadModule = async (path: string) => (await import(pathToFileURL(path).href)).default;
  const loadJson = async (_: string, text: string) => JSON.parse(text);
  const loaders = { '.js': nameFile(loadModule), '.mjs': nameFile(loadModule), '.json': nameFile(loadJson) };
  const explorer = lilconfig('storefront', { searchPlaces: FILES, stopDir: folder, loaders });
  const found = await explorer.search(folder).catch((cause) => {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`Cannot read the configuration in ${folder}: ${(cause as Error).message}`, { cause });
  });
  if (!found || found.isEmpty) return {};
  const { config, filepath } = found;
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new UserError(`${filepath} has no configuration: export an object as default.`);
  try {
    checkConfig(config);
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${filepath}: ${error.message}`, { cause: error });
    throw error;
  }
  return config;
}

/** Returns a loader whose errors name the file: a syntax error does not. */
function nameFile(load: Loader): Loader {
  return async (path, text) => {
    try {
      return await load(path, text);
    } catch (cause) {
      throw new UserError(`Cannot read the configuration ${path}: ${(cause as Error).message}`, { cause });
    }
  };
}

function checkConfig({ check, ...server }: Config): void {
  refuseInvalidOptions(server);
  if (check === undefined) return;
  if (typeof check !== 'object' || check === null || Array.isArray(check))
    throw new UserError('check is not an object: use the names of the options of storefront check.');
  if (check.before !== undefined && typeof check.before !== 'function')
    throw new UserError('check.before is not a function.');
  const { operations, parameters, credentials, states } = check;
  if (credentials !== undefined && !isSourceMap(credentials))
    throw new UserError(
      'check.credentials must be an object with texts and functions by the names of security schemes.',
    );
  if (states !== undefined && !isSourceMap(states))
    throw new UserError('check.states must be an object with names of snapshots or functions by provider states.');
  if (operations !== undefined) validateSettings('check.operations', operations);
  if (parameters !== undefined && (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)))
    throw new UserError('check.parameters must be an object with values by the names of parameters.');
}

function isSourceMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string' || typeof one === 'function');
}

/**
 * Uses a configuration as the defaults of the options. The command line and the environment take precedence.
 * Throws a `CommanderError` if a setting of the check is unknown or invalid.
 */
export function applyConfig(program: Command, { check = {}, ...server }: Config): void {
  for (const [name, value] of Object.entries(server))
    if (value !== undefined) program.setOptionValueWithSource(name, value, 'config');
  const { contract, allowRefs } = server;
  const command = program.commands.find((one) => one.name() === 'check');
  // Before the action, commander has parsed the options of the command line.
  command?.hook('preAction', () => applyCheckConfig(command, { contract, allowRefs, ...check }));
}

/** The settings that are no options. The check reads them from the configuration. */
const OBJECTS: readonly string[] = [
  'before',
  'operations',
  'parameters',
  'credentials',
  'states',
] satisfies (keyof CheckConfig)[];

function applyCheckConfig(command: Command, { url, ...settings }: CheckConfig): void {
  const [given] = command.args;
  if (url !== undefined) parseSetting('url', parseUrl, url);
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || OBJECTS.includes(name)) continue;
    const option = command.options.find((one) => toSettingName(one) === name);
    if (!option) throw refuseSetting(name, command);
    const parsed = option.isBoolean() ? checkBoolean(name, value) : parseSetting(name, option.parseArg, value);
    const key = option.attributeName();
    const isGiven = command.getOptionValueSource(key) === 'cli';
    // The permission to change data is for the server of the configuration.
    if (name === 'allowWrites' && given !== undefined && given !== url) continue;
    if (!isGiven) command.setOptionValueWithSource(key, parsed, 'config');
    else if (MERGED.includes(name))
      command.setOptionValueWithSource(key, { ...Object(parsed), ...command.getOptionValue(key) }, 'cli');
  }
}

/** The settings whose entries in the command line are added to those of the configuration. */
const MERGED = ['headers', 'query'];

function refuseSetting(name: string, { options }: Command): CommanderError {
  const names = [...options.map(toSettingName), ...OBJECTS];
  return createError(`Unknown setting check.${name}: ${suggestOneOf(name, names, 'settings')}.`);
}

/** Returns the name of an option in a configuration: `headers` for `--header`. */
function toSettingName(option: Option): string {
  return option.attributeName() === 'header' ? 'headers' : option.attributeName();
}

function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw createError(`Invalid setting check.${name}: use true or false.`);
}

/** Parses the text of an option. `previous`: the value of the texts before, if the option is repeated. */
type ParseText = (text: string, previous: never) => unknown;

/** Parses a setting as the command line parses its text. Lists and objects stand for repeated options. */
function parseSetting(name: string, parse: ParseText | undefined, value: unknown): unknown {
  const texts = toTexts(name, value);
  try {
    if (!texts) throw new InvalidArgumentError('Use a string, a number or a list of strings that is not empty.');
    return texts.reduce<unknown>((previous, text) => (parse ? parse(text, previous as never) : text), undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw createError(`Invalid setting check.${name} of the configuration: ${error.message}`);
  }
}

/**
 * Returns the texts that the command line has for a value, such as `Name: value` for each header.
 * Returns undefined if the value is none that an option can have.
 */
function toTexts(name: string, value: unknown): readonly string[] | undefined {
  const isText = (one: unknown) => typeof one === 'string' || typeof one === 'number';
  if (isText(value)) return [String(value)];
  if (typeof value !== 'object' || value === null) return undefined;
  const values = Object.entries(value);
  if (values.length === 0 || !values.every(([, inner]) => isText(inner))) return undefined;
  if (Array.isArray(value)) return value.map(String);
  const separator = name === 'headers' ? ': ' : '=';
  return MERGED.includes(name) ? values.map(([key, inner]) => `${key}${separator}${inner}`) : undefined;
}

function createError(message: string): CommanderError {
  return new CommanderError(1, 'storefront.config', message);
}
