import { spawn, spawnSync } from 'node:child_process';

/** PowerShell 7, which some machines have; scripts are written for Windows PowerShell 5.1, which is no different in what they use. */
export function findPwsh(): string | null {
  return spawnSync('pwsh', ['-NoLogo', '-NoProfile', '-Command', 'exit 0'], { timeout: 30_000 }).status === 0 ? 'pwsh' : null;
}

/** Says it and skips, in CI too: no machine of the project has it. */
export function skipWithoutPwsh(context: Mocha.Context): string {
  const found = findPwsh();
  if (found !== null) return found;
  process.stdout.write('not run: pwsh, which is not on PATH\n');
  context.skip();
}

export async function runPwsh(program: string, argv: readonly string[], stdin: Uint8Array | string = ''): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => { output.stdout += text; });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { output.stderr += text; });
    child.once('error', reject).once('close', (code) => { resolve({ code, ...output }); });
    child.stdin.on('error', () => undefined).end(stdin);
  });
}
