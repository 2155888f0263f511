import assert from 'node:assert/strict';
import { programTail } from '../../../../../src/domain/hostprocess/command/program-tail.ts';

describe('programTail', () => {
  for (const [words, line] of [
    [['x.exe', 'a b', 'C:\\a b\\', 'A=a b'], '"a b" "C:\\a b\\\\" A="a b"'],
    [['find.exe', 'Error', 'C:\\k\\kubelet.log'], '"Error" C:\\k\\kubelet.log'],
    [['find', '/C', '/i', 'say "hi"', 'C:\\a b\\x.log', '/offline'], '/C /i "say ""hi""" "C:\\a b\\x.log" /offline'],
    [['C:\\Windows\\System32\\FIND.EXE', '/v', ''], '/v ""'],
    [['find', '/x'], '"/x"'],
    [['findstr.exe', 'Error', 'x.log'], 'Error x.log'],
    [['cscript.exe', '//nologo', 'C:\\a b\\x.vbs', 'C:\\a b\\', 'NAME=a b', ''], '//nologo "C:\\a b\\x.vbs" "C:\\a b\\" "NAME=a b" ""'],
    [['WScript', 'x.js', 'a'], 'x.js a'],
    [['sqlcmd.exe', '-Q', 'SELECT "a"', '-v', 'FILE=C:\\a b\\x.mdf'], '-Q "SELECT \\"a\\"" -v FILE="C:\\a b\\x.mdf"'],
  ] as const) {
    it(`of ${words.join(' ')} is ${line}`, () => {
      const tail = programTail(words);
      assert.ok(!('refused' in tail));
      assert.equal(tail.join(' '), line);
    });
  }

  for (const command of ['cscript.exe', 'C:\\Windows\\System32\\wscript']) {
    it(`of ${command} has no quotation mark in a word`, () => {
      const tail = programTail([command, 'x.vbs', 'say "hi"']);
      assert.ok('refused' in tail && tail.suggestions.length > 0);
      assert.match(tail.refused, /knows no way to write one/);
    });
  }
});
