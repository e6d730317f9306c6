import { isatty, WriteStream } from 'node:tty';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { ServerOptions } from '../options.ts';
import { escapeControls, escapeControlsInLines } from '../util/text.ts';

/** The destination of the log lines. */
interface LogTarget extends DestinationStream {
  /** Whether the destination supports colors. Default: false. */
  readonly hasColors?: boolean | undefined;
}

/** The file descriptors of the standard streams. */
const STDOUT = 1;
const STDERR = 2;

/**
 * Creates a logger.
 * It writes to `target`, by default to standard output.
 * `style`: `pretty` writes readable lines, and `json` a JSON object on each line.
 * With the style `off`, it writes only warnings and errors in readable lines, by default to standard error.
 * Readable lines have colors if the target supports colors.
 */
export function createLogger(style: NonNullable<ServerOptions['log']>, target?: LogTarget): Logger {
  const isOff = style === 'off';
  const output = target ?? standardStream(isOff ? STDERR : STDOUT);
  const options = { base: null, timestamp: stdTimeFunctions.isoTime, level: isOff ? 'warn' : 'info' };
  return pino(options, style === 'json' ? toSafeStream(output) : toPrettyStream(output));
}

/**
 * Returns whether a stream supports colors.
 * A terminal supports colors, except if the environment variable NO_COLOR or TERM disables them.
 * With FORCE_COLOR, every stream supports colors.
 */
export function supportsColors(
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return (isTerminal || environment.FORCE_COLOR !== undefined) && WriteStream.prototype.hasColors(environment);
}

function standardStream(descriptor: number): LogTarget {
  const output = destination({ dest: descriptor, sync: false });
  // `hasColors` reads the environment variables, such as NO_COLOR.
  return Object.assign(output, { hasColors: isatty(descriptor) && WriteStream.prototype.hasColors() });
}

/** Returns a stream for pino that escapes characters which `JSON.stringify` keeps, but which can control a terminal. */
function toSafeStream(output: LogTarget): DestinationStream & { flushSync?: () => void } {
  return {
    write: (line) => output.write(escapeControlsInLines(line)),
    flushSync: () => (output as { flushSync?: () => void }).flushSync?.(),
  };
}

/** Returns a stream for pino that converts each line of JSON to a readable line. */
function toPrettyStream(output: LogTarget): DestinationStream & { flushSync?: () => void } {
  const paint: Paint = (color, text) => (output.hasColors && text !== '' ? `\x1b[${color}m${text}\x1b[0m` : text);
  return {
    write: (line) => output.write(`${formatLine(JSON.parse(line), paint)}\n`),
    flushSync: () => (output as { flushSync?: () => void }).flushSync?.(),
  };
}

/** The fields of a log line. */
interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string;
  readonly decision?: string;
  readonly sandbox?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly traceId?: string;
  readonly notes?: readonly string[];
  readonly err?: { readonly stack?: string };
  readonly responseViolations?: readonly { readonly message: string }[];
}

const LEVELS = { warn: 40, error: 50 };
/** The codes of terminal colors in escape sequences (SGR, ECMA-48). */
const COLORS = { green: 32, yellow: 33, red: 31, grey: 90 };

/**
 * Returns a text with the escape sequences of a color.
 * Returns the text unchanged if the destination does not support colors.
 */
type Paint = (color: number, text: string) => string;

function formatLine(line: LogLine, paint: Paint): string {
  const { time, method, msg, notes = [], responseViolations = [], err } = line;
  const details = [...notes, ...responseViolations.map(({ message }) => message)].map(escapeControls);
  const text = method === undefined || msg !== undefined ? formatMessage(line, paint) : formatRequest(line, paint);
  const stack = err?.stack === undefined ? [] : [escapeControlsInLines(err.stack)];
  const indented = [...details, ...stack].map((detail) => `         ${detail}`);
  return [`${paint(COLORS.grey, time.slice(11, 19))} ${text}`, ...indented].join('\n');
}

function formatMessage({ level, msg: message = '' }: LogLine, paint: Paint): string {
  const msg = escapeControlsInLines(message);
  if (level >= LEVELS.error) return paint(COLORS.red, msg);
  return level >= LEVELS.warn ? paint(COLORS.yellow, msg) : msg;
}

function formatRequest(
  { method = '', path = '', operation = '', decision = '', sandbox = '', status, ms, traceId = '' }: LogLine,
  paint: Paint,
): string {
  const duration = ms === undefined ? '' : `${ms} ms`;
  return [
    method.padEnd(6),
    paint(getStatusColor(status), String(status ?? '---')),
    escapeControls(path),
    ...[operation, decision, sandbox, duration, traceId].map((text) => paint(COLORS.grey, text)),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function getStatusColor(status: number | undefined): number {
  if (status === undefined || status >= 500) return COLORS.red;
  return status >= 400 ? COLORS.yellow : COLORS.green;
}
