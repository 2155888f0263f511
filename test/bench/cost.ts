import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a command cost as a whole process. */
export interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Largest resident memory of any process of it. */
  readonly peakBytes: number;
  readonly stdoutBytes: number;
}

/** A command to measure, with a name for the report. */
export interface Measured {
  readonly title: string;
  readonly command: readonly string[];
  /** On top of the environment that all commands share. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs commands under test/bench/measure, which reads their resource usage; Node cannot read that of a child. */
export class CostMeter {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#env = env;
  }

  /** Builds the program into `folder`. `env` is all that commands see of an environment, the same for both sides. */
  static async build(folder: string, env: Readonly<Record<string, string>>): Promise<CostMeter> {
    const program = join(folder, 'measure');
    try {
      await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'measure') });
    } catch (error) {
      throw new Error(`test/bench/measure cannot be built; is Go on PATH? ${(error as { stderr?: string }).stderr ?? String(error)}`, { cause: error });
    }
    return new CostMeter(program, env);
  }

  /**
   * Each command in turn, A B C A B C …, so that a machine whose speed drifts drifts for all; the costs of round i stand
   * at index i of each list. One round before warms up. Throws, with what it printed, when a command fails.
   */
  async measure(commands: readonly Measured[], rounds: number, onRound: (round: number) => void = () => undefined): Promise<readonly (readonly Cost[])[]> {
    const costs: Cost[][] = commands.map(() => []);
    for (let round = 0; round <= rounds; round++) {
      onRound(round);
      for (const [index, command] of commands.entries()) {
        const cost = await this.run(command);
        if (round > 0) costs[index]?.push(cost);
      }
    }
    return costs;
  }

  /** One run. Throws, with what it printed, when the command fails. */
  async run({ title, command, env }: Measured): Promise<Cost> {
    const child = spawn(this.#program, command, { env: { ...this.#env, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const [stderr, result, [exitCode]] = await Promise.all([textOf(child, 2), textOf(child, 3), once(child)]);
    const { exitCode: commandCode, ...cost } = exitCode === 0 ? (JSON.parse(result) as Cost & { exitCode: number }) : { exitCode: null }; // test/bench/measure writes exactly this
    if (commandCode !== 0) throw new Error(`${title}: ${command.join(' ')} ended with ${commandCode ?? `no result (measure: ${exitCode})`}\n${stderr.trimEnd()}`);
    return cost as Cost;
  }
}

async function once(child: ChildProcess): Promise<readonly [number | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve([code]));
  });
}

async function textOf(child: ChildProcess, descriptor: number): Promise<string> {
  const stream = child.stdio[descriptor] as NodeJS.ReadableStream | null | undefined;
  if (stream === null || stream === undefined) throw new Error(`descriptor ${descriptor} is not open`);
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** The middle one; of an even number the upper of both. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
