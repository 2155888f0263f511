import assert from 'node:assert/strict';
import { programName, splitCommandLine, startedPrograms } from '../../../../src/domain/windows/command-line.ts';

describe('startedPrograms', () => {
  const cases: readonly { readonly name: string; readonly command: readonly string[]; readonly programs: readonly (readonly [name: string, word: number])[] }[] = [
    { name: 'the first word alone', command: ['sleep', '10'], programs: [['sleep', 0]] },
    { name: 'nothing of an empty list', command: [], programs: [] },
    { name: 'nothing of an empty word', command: [' ', 'x'], programs: [] },
    { name: 'not what powershell is told', command: ['powershell', '-Command', 'sleep 10'], programs: [['powershell', 0]] },
    { name: 'what cmd starts, in a word of its own', command: ['cmd', '/c', 'sleep', '10'], programs: [['cmd', 0], ['sleep', 2]] },
    { name: 'what cmd starts, in one line', command: ['cmd.exe', '/S', '/C', 'sleep 10 && dir'], programs: [['cmd.exe', 0], ['sleep', 3]] },
    { name: 'what cmd starts, right behind the switch', command: ['cmd', '/csleep 10'], programs: [['cmd', 0], ['sleep', 1]] },
    { name: 'what cmd starts, in quotes', command: ['C:\\Windows\\System32\\cmd.exe', '/k', '"bash" -c x'], programs: [['C:\\Windows\\System32\\cmd.exe', 0], ['bash', 2]] },
    { name: 'cmd alone without a switch', command: ['cmd'], programs: [['cmd', 0]] },
    { name: 'cmd alone with nothing behind the switch', command: ['cmd', '/c'], programs: [['cmd', 0]] },
  ];
  for (const { name, command, programs } of cases) {
    it(`finds ${name}`, () => { assert.deepEqual(startedPrograms(command).map((program) => [program.name, program.word]), programs); });
  }

  it('tells what a program is given, up to the next command of the line', () => {
    assert.deepEqual(startedPrograms(['sleep', '10'])[0]?.rest, ['10']);
    assert.deepEqual(startedPrograms(['cmd', '/c', 'sleep 10 && dir'])[1]?.rest, ['10']);
  });
});

describe('splitCommandLine', () => {
  it('gives the program and its words', () => {
    assert.deepEqual(splitCommandLine('ping -n 2 localhost'), { program: 'ping', words: ['ping', '-n', '2', 'localhost'] });
    assert.deepEqual(splitCommandLine('"C:\\a b\\c.exe" ""'), { program: 'C:\\a b\\c.exe', words: ['C:\\a b\\c.exe', ''] });
    assert.deepEqual(splitCommandLine('run.cmd\ta  b'), { program: 'run.cmd', words: null });
  });

  it('takes a name for a name', () => {
    for (const word of ['C:\\a b\\c.exe', 'a b', 'ping', '', '/usr/bin/env x']) assert.equal(splitCommandLine(word), null, word);
  });
});

describe('programName', () => {
  const cases: readonly (readonly [string, string])[] = [['powershell.exe', 'powershell'], ['C:\\Windows\\System32\\CMD.EXE', 'cmd'], ['/bin/sh', 'sh'], ['pwsh', 'pwsh'], ['run.ps1', 'run.ps1'], ['', '']];
  for (const [program, name] of cases) it(`of ${program} is ${name}`, () => { assert.equal(programName(program), name); });
});
