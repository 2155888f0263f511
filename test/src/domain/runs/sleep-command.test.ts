import assert from 'node:assert/strict';
import { sleepCommand } from '../../../../src/domain/runs/sleep-command.ts';

describe('sleepCommand', () => {
  it('pings once more than it waits seconds, for the first ping waits for none', () => {
    assert.deepEqual(sleepCommand(60), ['cmd.exe', '/c', 'ping -n 61 127.0.0.1 >NUL || set /p held=']);
  });

  it('never ends of itself without a number', () => {
    assert.deepEqual(sleepCommand(null), ['cmd.exe', '/c', 'ping -t 127.0.0.1 >NUL || set /p held=']);
  });
});
