import assert from 'node:assert/strict';
import { hostSleepCommand, sleepCommand } from '../../../../src/domain/runs/sleep-command.ts';

describe('sleepCommand', () => {
  it('pings once more than it waits seconds, for the first ping waits for none', () => {
    assert.deepEqual(sleepCommand(60), ['cmd.exe', '/c', 'ping -n 61 127.0.0.1 >NUL || set /p held=']);
  });

  it('never ends of itself without a number', () => {
    assert.deepEqual(sleepCommand(null), ['cmd.exe', '/c', 'ping -t 127.0.0.1 >NUL || set /p held=']);
  });
});

describe('hostSleepCommand', () => {
  it('waits as long where ping does not: without an open stdin, which a prompt would end at, and without a mark that the shim would quote', () => {
    const [, , line = ''] = hostSleepCommand(60);
    assert.equal(line, 'ping -n 61 127.0.0.1 >NUL || powershell.exe -NoLogo -NoProfile -NonInteractive -Command Start-Sleep 60');
    assert.doesNotMatch(line, /"|set \/p/);
  });
});
