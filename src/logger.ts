import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';

/** How the log looks: lines for people, lines of JSON for programs, or none but for warnings and faults. */
export type LogStyle = 'pretty' | 'json' | 'off';

/** The file descriptors of standard output and standard error. */
const STDOUT = 1;
const STDERR = 2;

/**
 * A logger that writes to standard output or, for tests, to `stream`. Where it is off it still tells of warnings and faults, on standard error:
 * nobody wants to miss those.
 */
export function createLogger(style: LogStyle, stream?: DestinationStream): Logger {
  const isOff = style === 'off';
  const output = stream ?? destination({ dest: isOff ? STDERR : STDOUT, sync: false });
  const options = { base: null, timestamp: stdTimeFunctions.isoTime, level: isOff ? 'warn' : 'info' };
  return pino(options, style === 'json' ? output : prettyTo(output));
}

/** A stream that turns pino's lines of JSON into lines for people. */
function prettyTo(output: DestinationStream): DestinationStream & { flushSync?: () => void } {
  return {
    write: (line) => output.write(`${pretty(JSON.parse(line))}\n`),
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
  readonly breaches?: readonly { readonly said: string }[];
}

const LEVELS = { warn: 40, error: 50 };
const COLOURS = { plain: 0, green: 32, yellow: 33, red: 31, grey: 90 };

function pretty(line: Line): string {
  const time = coloured(COLOURS.grey, line.time.slice(11, 19));
  const said = [...(line.notes ?? []), ...(line.breaches ?? []).map(({ said }) => said)].map(visible);
  const rest = line.err?.stack === undefined ? said : [...said, line.err.stack];
  const what = line.method === undefined || line.msg !== undefined ? message(line) : request(line);
  return [`${time} ${what}`, ...rest.map((part) => `         ${part}`)].join('\n');
}

function message({ level, msg = '' }: Line): string {
  if (level >= LEVELS.error) return coloured(COLOURS.red, msg);
  return level >= LEVELS.warn ? coloured(COLOURS.yellow, msg) : msg;
}

/** A text from outside with its control characters shown: they could forge lines of the log, or steer the terminal. */
function visible(text: string): string {
  return text.replaceAll(/\p{Control}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function request({ method = '', path = '', operation = '', sandbox = '', status, ms }: Line): string {
  const shown = coloured(statusColour(status), status === undefined ? '---' : String(status));
  const took = ms === undefined ? '' : coloured(COLOURS.grey, `${ms} ms`);
  return [
    method.padEnd(6),
    shown,
    visible(path),
    coloured(COLOURS.grey, operation),
    coloured(COLOURS.grey, sandbox),
    took,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function statusColour(status: number | undefined): number {
  if (status === undefined || status >= 500) return COLOURS.red;
  return status >= 400 ? COLOURS.yellow : COLOURS.green;
}

function coloured(colour: number, text: string): string {
  return text === '' ? '' : `\x1b[${colour}m${text}\x1b[0m`;
}
