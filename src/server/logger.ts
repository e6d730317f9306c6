import { isatty, WriteStream } from 'node:tty';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';

/** How the log looks: lines for people, lines of JSON for programs, or none but for warnings and faults. */
export type LogStyle = 'pretty' | 'json' | 'off';

/** Where a log goes. */
export interface LogTarget extends DestinationStream {
  /** Whether it shows colours; by default it doesn't. */
  readonly hasColors?: boolean | undefined;
}

/** The file descriptors of standard output and standard error. */
const STDOUT = 1;
const STDERR = 2;

/**
 * A logger that writes to `target` or, without one, to standard output. Where it is off it still tells of warnings and faults, on standard error:
 * nobody wants to miss those. Lines for people are coloured where the stream that they go to is a terminal with colours.
 */
export function createLogger(style: LogStyle, target?: LogTarget): Logger {
  const isOff = style === 'off';
  const output = target ?? standardStream(isOff ? STDERR : STDOUT);
  const options = { base: null, timestamp: stdTimeFunctions.isoTime, level: isOff ? 'warn' : 'info' };
  return pino(options, style === 'json' ? output : prettyTo(output));
}

/** Whether a stream shows colours: a terminal does unless NO_COLOR or TERM says otherwise, and any stream does with FORCE_COLOR. */
export function showsColors(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  return (isTerminal || environment.FORCE_COLOR !== undefined) && WriteStream.prototype.hasColors(environment);
}

function standardStream(descriptor: number): LogTarget {
  const output = destination({ dest: descriptor, sync: false });
  // Node reads the environment for this.
  return Object.assign(output, { hasColors: isatty(descriptor) && WriteStream.prototype.hasColors() });
}

/** A stream that turns pino's lines of JSON into lines for people. */
function prettyTo(output: LogTarget): DestinationStream & { flushSync?: () => void } {
  const paint = output.hasColors ? coloured : plain;
  return {
    write: (line) => output.write(`${pretty(JSON.parse(line), paint)}\n`),
    flushSync: () => (output as { flushSync?: () => void }).flushSync?.(),
  };
}

/** What a line of pino's holds here. */
interface Line {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string;
  readonly sandbox?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly notes?: readonly string[];
  readonly err?: { readonly stack?: string };
  readonly responseViolations?: readonly { readonly message: string }[];
}

const LEVELS = { warn: 40, error: 50 };
const COLOURS = { plain: 0, green: 32, yellow: 33, red: 31, grey: 90 };

/** Gives a text a colour, or leaves it as it is. */
type Paint = (colour: number, text: string) => string;

const plain: Paint = (_colour, text) => text;

const coloured: Paint = (colour, text) => (text === '' ? '' : `\x1b[${colour}m${text}\x1b[0m`);

function pretty(line: Line, paint: Paint): string {
  const time = paint(COLOURS.grey, line.time.slice(11, 19));
  const said = [...(line.notes ?? []), ...(line.responseViolations ?? []).map(({ message }) => message)].map(visible);
  const rest = line.err?.stack === undefined ? said : [...said, line.err.stack];
  const what = line.method === undefined || line.msg !== undefined ? message(line, paint) : request(line, paint);
  return [`${time} ${what}`, ...rest.map((part) => `         ${part}`)].join('\n');
}

function message({ level, msg = '' }: Line, paint: Paint): string {
  if (level >= LEVELS.error) return paint(COLOURS.red, msg);
  return level >= LEVELS.warn ? paint(COLOURS.yellow, msg) : msg;
}

/** A text from outside with its control characters shown: they could forge lines of the log, or steer the terminal. */
function visible(text: string): string {
  return text.replaceAll(/\p{Control}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function request({ method = '', path = '', operation = '', sandbox = '', status, ms }: Line, paint: Paint): string {
  const shown = paint(statusColour(status), status === undefined ? '---' : String(status));
  const took = ms === undefined ? '' : paint(COLOURS.grey, `${ms} ms`);
  return [method.padEnd(6), shown, visible(path), paint(COLOURS.grey, operation), paint(COLOURS.grey, sandbox), took]
    .filter((part) => part !== '')
    .join(' ');
}

function statusColour(status: number | undefined): number {
  if (status === undefined || status >= 500) return COLOURS.red;
  return status >= 400 ? COLOURS.yellow : COLOURS.green;
}
