import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { Disk, FileDurability } from './disk.ts';
import { type FileContext, saveEditedContent, saveLog } from './edit-conflicts.ts';
import { hashBytes, overwriteFile } from './file-content.ts';
import { countContainedChanges, type ParsedLog, parseLog, replayLog } from './log-lines.ts';
import type { State } from './state.ts';
import { getLogPath, type WriteAheadLog } from './write-ahead-log.ts';

/** Reads the write-ahead log of a data file; undefined if it does not exist. */
function readLog(disk: Disk, path: string): (ParsedLog & { readonly content: Buffer }) | undefined {
  const logPath = getLogPath(path);
  if (!disk.linkStats(logPath)?.isFile()) return undefined;
  const content = disk.read(logPath);
  return { content, ...parseLog(content) };
}

/**
 * Completes the write of a data file that can't be replaced atomically, if a crash has interrupted it. The write-ahead log contains the text. Rejects if a
 * file system call fails.
 */
export async function completeOverwrite(context: FileContext, durability: FileDurability): Promise<void> {
  const { path, disk } = context;
  const lines = readLog(disk, path)?.lines ?? [];
  const text = lines.flatMap((line) => ('file' in line ? (line.text ?? []) : [])).at(-1);
  if (text === undefined) return;
  const current = disk.read(path);
  if (countContainedChanges(lines, hashBytes(current)) !== undefined) return;
  // A part of the old and a part of the new content are hardly ever valid JSON together.
  if (tryOrUndefined(() => JSON.parse(current.toString())) !== undefined) saveEditedContent(context, current);
  await overwriteFile(disk, { path, pieces: [Buffer.from(text)], isSynced: durability === 'disk' });
}

/** A data file: its state and the hash of its content. */
export interface DataFile {
  readonly state: State;
  readonly hash: string;
}

/**
 * Applies the changes in the write-ahead log of a process that was killed, and opens the log. Returns the state after the changes. If the log belongs to
 * another data file or is damaged, saves it as `NAME.wal.conflict-TIME` and logs a warning. Throws if a file system call fails.
 */
export function recoverState(context: FileContext, file: DataFile | undefined, wal: WriteAheadLog): State | undefined {
  const { path, disk, log } = context;
  const parsed = readLog(disk, path);
  if (!parsed) {
    if (disk.linkStats(getLogPath(path)))
      log.warn(
        `${getLogPath(path)} is not a regular file, so the server does not read it and writes the whole of ${path} for each change. Remove it.`,
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
    const remedy = state ? '' : ' To apply them, stop the server, restore that version and rename the log back.';
    log.warn(`${getLogPath(path)} ${reason}. The log is saved in ${savedName}.${remedy}`);
  }
  if (state && state !== file.state) wal.reopen(parsed);
  else disk.remove(getLogPath(path));
  return state ?? file?.state;
}
