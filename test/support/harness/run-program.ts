import { execFile } from 'node:child_process';
import { projectFile } from '../fixtures/default-data.ts';

/** How a program has ended. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program in a folder until it ends. Its only environment variables are PATH and those given. */
export function runProgramIn(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment } };
  return new Promise((resolve) => {
    execFile(process.execPath, [projectFile('dist/main.js'), ...args], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
