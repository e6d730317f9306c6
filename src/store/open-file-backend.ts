import { quoteShellIfNeeded } from '../util/shell.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { DataFileError, MAX_FILE_BYTES, readState, requireValid } from './data-file.ts';
import { describeDiskError, getSignature } from './disk.ts';
import { DurableFile } from './durable-file.ts';
import { FileBackend, type FileBackendOptions } from './file-backend.ts';
import { createContent } from './file-content.ts';
import { completeOverwrite, type DataFile, recoverState } from './log-recovery.ts';
import type { State } from './state.ts';
import { compareStates } from './state-change.ts';
import { getLogPath, WriteAheadLog } from './write-ahead-log.ts';

const POWER_CUT = 'A power cut with --durability os can cause this';

/**
 * Opens the data file, and creates it if it does not exist. Returns a backend that stores changes in the file, and the initial state. If the file can't be
 * used, throws `DataFileError` and changes nothing.
 */
export async function openFileBackend(options: FileBackendOptions) {
  const { path, disk, defaults } = options;
  const wal = new WriteAheadLog(options);
  await completeOverwrite(options, options.durability).catch((cause) =>
    refuse(getLogPath(path), "can't be read, or applied to the data file", cause),
  );
  // If the signature can't be read, `readState` throws the reason.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // The file is validated before anything is written: neither an invalid file nor its folder may change.
  const stored = readState({
    ...options,
    remedy: getRemedy(options),
    truncationCause: POWER_CUT,
    otherContractRemedy: 'Use another file with --data FILE, or move this file to another folder',
  });
  const content = stored && createContent(stored.text, signature);
  const file = new DurableFile({ ...options, content, wal });
  const recovered = recover(options, stored && content && { state: stored.state, hash: content.hash }, wal);
  const initial = recovered ?? defaults;
  const maxBytes = stored
    ? stored.printedBytes + options.texts.measureChange(compareStates(stored.state, initial))
    : MAX_FILE_BYTES;
  const backend = new FileBackend({ file, wal, state: initial, maxBytes }, options);
  if (stored) await syncStored(file, options);
  else await backend.createFile().catch((cause) => refuse(path, "can't be written", cause, REMEDY));
  return { backend, initial };
}

/** Calls fsync for the data file, because the program that wrote the file may not have done so. Logs a warning if the call fails. */
async function syncStored(file: DurableFile, { path, log }: FileBackendOptions): Promise<void> {
  await file
    .sync()
    .catch((cause) =>
      log.warn(
        `fsync of ${path} failed (${describeDiskError(cause)}). A power cut can undo the last write of this file.`,
      ),
    );
}

/** Returns the state in the data file, with the changes in the write-ahead log of a killed process applied. Throws `DataFileError` if the log can't be used. */
function recover(options: FileBackendOptions, file: DataFile | undefined, wal: WriteAheadLog): State | undefined {
  const logPath = getLogPath(options.path);
  try {
    const state = recoverState(options, file, wal);
    if (state && state !== file?.state)
      requireValid(`${options.path} with the changes in ${logPath}`, options.check(state));
    return state;
  } catch (error) {
    if (error instanceof DataFileError) throw new DataFileError(`${error.message}. ${getLogRemedy(logPath)}`);
    return refuse(logPath, "can't be read or saved", error);
  }
}

const REMEDY = ' Choose another file with --data FILE.';

function refuse(path: string, problem: string, cause: unknown, remedy = ''): never {
  throw new DataFileError(`${path} ${problem} (${describeDiskError(cause)}).${remedy}`, { cause });
}

function getRemedy({ path, contract }: FileBackendOptions): string {
  const option = contract === undefined ? '' : ` --contract ${quoteShellIfNeeded(contract)}`;
  return `The file was not changed. Fix it, or run \`storefront repair --data ${quoteShellIfNeeded(path)}${option}\`, which saves a copy of the file and restores the default data`;
}

/** Returns how to fix an unusable write-ahead log. Does not suggest `storefront repair`, because the data file without the log is valid. */
function getLogRemedy(logPath: string): string {
  return `Nothing was changed. Start the server with the contract of its last run. Or rename ${logPath}: the server then ignores the changes in this file.`;
}
