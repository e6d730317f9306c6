import { readFileSync } from 'node:fs';
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { projectFile } from '../fixtures/default-data.ts';

/** An instruction of the Containerfile. */
export interface Step {
  readonly keyword: string;
  /** The arguments of the instruction, without options such as `--from`. */
  readonly args: readonly string[];
  /** The command, if it is a JSON list (exec form), so that it needs no shell. Otherwise undefined. */
  readonly command: readonly string[] | undefined;
  /** The name of the stage from which `COPY` copies files. Undefined for all other instructions. */
  readonly from: string | undefined;
}

/** The text of the Containerfile with which the project's container image is built. */
export const containerfile: string = readFileSync(projectFile('tools/container/Containerfile'), 'utf8');

/** Returns the instructions of the project's Containerfile, as one list for each build stage. */
export function readStages(): readonly (readonly Step[])[] {
  const steps = DockerfileParser.parse(containerfile).getInstructions().map(toStep);
  const starts = steps.flatMap(({ keyword }, index) => (keyword === 'FROM' ? [index] : []));
  return starts.map((start, number) => steps.slice(start, starts[number + 1]));
}

function toStep(instruction: Instruction): Step {
  return {
    keyword: instruction.getKeyword(),
    args: instruction
      .getArguments()
      .map((argument) => argument.getValue())
      .filter((argument) => !argument.startsWith('--')),
    command: getCommand(instruction),
    from: instruction instanceof Copy ? (instruction.getFromFlag()?.getValue() ?? undefined) : undefined,
  };
}

/** Returns the command of an instruction if it is a JSON list at its end: `HEALTHCHECK --timeout=3s CMD ["node", "check.mjs"]`. Otherwise returns undefined. */
function getCommand(instruction: Instruction): readonly string[] | undefined {
  const [list] = /\[.*\]$/s.exec(instruction.getArgumentsContent() ?? '') ?? [];
  return list === undefined ? undefined : (JSON.parse(list) as string[]);
}
