import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { Disk, FileDurability } from './disk.ts';
import { type FileContext, saveEditedContent, saveLog } from './edit-conflicts.ts';
import { hashBytes, overwriteFile } from './file-content.ts';
import { countContainedChanges, type ParsedLog, parseLog, replayLog } from './log-lines.ts';
import type { State } from './state.ts';
import { getLogPath, type WriteAheadLog } from './write-ahead-log.ts';

/** Reads the write-ahead log of the data file at `path`. Returns undefined if the log does not exist. */
function readLog(disk: Disk, path: string): (ParsedLog & { readonly content: Buffer }) | undefined {
  const logPath = getLogPath(path);
  if (!disk.linkStats(logPath)?.isFile()) return undefined;
  const content = disk.read(logPath);
  return { content, ...parseLog(content) };
}

/**
 * Completes an interrupted write of a data file that can only be overwritten, not replaced by a rename. The server stores the new text of such a file in the
 * write-ahead log first. Does nothing if no write was interrupted. Rejects if a file system call fails.
 */
export async function completeOverwrite(context: FileContext, durability: FileDurability): Promise<void> {
  const { path, disk } = context;
  const lines = readLog(disk, path)?.lines ?? [];
  const text = lines.flatMap((line) => ('file' in line ? (line.text ?? []) : [])).at(-1);
  if (text === undefined) return;
  const current = disk.read(path);
  if (countContainedChanges(lines, hashBytes(current)) !== undefined) return;
  // If the file is valid JSON, another program has written it: a mixture of the old and the new content is hardly ever valid.
  if (tryOrUndefined(() => JSON.parse(current.toString())) !== undefined) saveEditedContent(context, current);
  await overwriteFile(disk, { path, pieces: [Buffer.from(text)], isSynced: durability === 'disk' });
}

/** The state in a data file, and the hash of the file. */
export interface DataFile {
  readonly state: State;
  readonly hash: string;
}

/**
 * Opens the write-ahead log of a killed process, and applies its changes to the state in the data file. Returns the new state; undefined if there is no data
 * file. If the log is damaged or belongs to another data file, saves it as `NAME.wal.conflict-TIME` and logs a warning. Throws if a file system call fails.
 */
export function recoverState(context: FileContext, file: DataFile | undefined, wal: WriteAheadLog): State | undefined {
  const { path, disk, log } = context;
  const parsed = readLog(disk, path);
  if (!parsed) {
    if (disk.linkStats(getLogPath(path)))
      log.warn(
        `${getLogPath(path)} is not a regular file, so the server can't use it and writes the whole data file for each change. Delete or rename it.`,
      );
    return file?.state;
  }
  const state = file && replayLog(parsed.lines, file);
  const hasChanges = parsed.lines.some((line) => 'change' in line);
  if (parsed.isDamaged || (!state && hasChanges)) {
    const reason = state
      ? 'is damaged. The server applied the changes before the damaged line'
      : `belongs to another version of ${path}. The server did not apply its changes`;
    const savedName = saveLog(disk, getLogPath(path), parsed.content);
    const remedy = state
      ? ''
      : ' To apply the changes, stop the server, restore that version of the data file, and rename the log back.';
    log.warn(`${getLogPath(path)} ${reason}. The log is saved in ${savedName}.${remedy}`);
  }
  if (state && state !== file.state) wal.reopen(parsed);
  else disk.remove(getLogPath(path));
  return state ?? file?.state;
}
