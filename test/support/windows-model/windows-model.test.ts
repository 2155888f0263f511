/** The model of Windows against what Microsoft and others have written down of it. */
import assert from 'node:assert/strict';
import { commandLineToArgv, cRuntimeArgv } from './arguments.ts';
import { batchArguments, expandVariables, runCmd, runLine } from './cmd.ts';
import { escapeArg, shimLine } from './node.ts';
import { readCall, readDataLine, readLiteral } from './powershell.ts';

describe('the model of command lines', () => {
  // https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments, read 2026-11-30
  for (const [tail, words] of [
    ['"a b c" d e', ['a b c', 'd', 'e']],
    ['"ab\\"c" "\\\\" d', ['ab"c', '\\', 'd']],
    ['a\\\\\\b d"e f"g h', ['a\\\\\\b', 'de fg', 'h']],
    ['a\\\\\\"b c d', ['a\\"b', 'c', 'd']],
    ['a\\\\\\\\"b c" d e', ['a\\\\b c', 'd', 'e']],
  ] as const) {
    it(`takes ${tail} apart as the documentation does`, () => {
      assert.deepEqual(commandLineToArgv(`x ${tail}`), ['x', ...words]);
      assert.deepEqual(cRuntimeArgv(`x ${tail}`), ['x', ...words]);
    });
  }

  it('knows where shell32 and the C runtime differ', () => {
    assert.deepEqual(cRuntimeArgv('x a"b"" c d'), ['x', 'ab" c d']);
    assert.deepEqual(commandLineToArgv('x a"b"" c d'), ['x', 'ab"', 'c', 'd']);
  });

  it('keeps empty arguments, and takes the name of the program without escapes', () => {
    for (const take of [commandLineToArgv, cRuntimeArgv]) {
      assert.deepEqual(take('"C:\\Program Files\\a\\" "" b ""'), ['C:\\Program Files\\a\\', '', 'b', '']);
      assert.deepEqual(take('x'), ['x']);
    }
  });
});

describe('the model of the shim', () => {
  // Examples of https://pkg.go.dev/golang.org/x/sys/windows#EscapeArg
  for (const [word, escaped] of [['', '""'], ['a', 'a'], ['a b', '"a b"'], ['a\tb', '"a\tb"'], ['a\nb', 'a\nb'], ['a"b', 'a\\"b'], ['a\\"b', 'a\\\\\\"b'], ['a\\', 'a\\'], ['a b\\', '"a b\\\\"'], ['&', '&']] as const) {
    it(`writes ${JSON.stringify(word)} as ${escaped}`, () => assert.equal(escapeArg(word), escaped));
  }

  it('puts the mount point for its variable, and cmd before the line where there are bind filters', () => {
    assert.equal(shimLine(['%CONTAINER_SANDBOX_MOUNT_POINT%\\a.exe', '$env:CONTAINER_SANDBOX_MOUNT_POINT'], { hasBindFilters: true }), 'cmd /c C:\\hpc\\a.exe C:\\hpc');
    assert.equal(shimLine(['a.exe', '%container_sandbox_mount_point%'], { hasBindFilters: false }), 'a.exe %container_sandbox_mount_point%');
  });
});

describe('the model of cmd', () => {
  const environment = { PATH: 'C:\\Windows;C:\\a', Evil: '& calc' };

  it('expands what is a variable, in any case, with substitution and parts, and leaves the rest', () => {
    for (const [line, expanded] of [
      ['echo %path%', 'echo C:\\Windows;C:\\a'], ['%x% %PATH', '%x% %PATH'], ['100% %evil%', '100% & calc'], ['%PATH:a=b%', 'C:\\Windows;C:\\b'], ['%PATH:~0,2%', 'C:'], ['%^PATH%', '%^PATH%'], ['%^PATH:a=b^%', '%^PATH:a=b^%'], ['%%', '%%'], ['%%PATH%%', '%C:\\Windows;C:\\a%'],
    ] as const) assert.equal(expandVariables(line, environment), expanded, line);
  });

  it('would take a caret that stands before the second percent sign alone for part of a substitution', () => {
    assert.equal(expandVariables('^%PATH:a=b^%', environment), '^C:\\Windows;C:\\b^');
  });

  it('reads operators outside of marks, and carets there alone', () => {
    assert.deepEqual(runLine('echo a&calc', {}), { starts: [{ name: 'echo', line: 'echo a', tail: ' a' }, { name: 'calc', line: 'calc', tail: '' }], operators: ['&'] });
    assert.deepEqual(runLine('echo "a&b^" ^& ^^ ^"c d^"', {}).starts, [{ name: 'echo', line: 'echo "a&b^" & ^ "c d"', tail: ' "a&b^" & ^ "c d"' }]);
    assert.deepEqual(runLine('a > b | c', {}).operators, ['>', '|']);
    assert.deepEqual(runLine('echo a\nb', {}), { starts: [{ name: 'echo', line: 'echo a', tail: ' a' }], operators: ['\n'] });
    assert.deepEqual(runLine('(echo a)', {}).operators, ['(', ')']);
    assert.deepEqual(runLine('echo (a)', {}).operators, []);
  });

  it('does not know that a backslash is to mask a mark, by which arguments escape', () => {
    // https://kb.cert.org/vuls/id/123335
    assert.deepEqual(runLine('x.bat "a\\"&calc"', {}).operators, ['&']);
  });

  it('finds the name of the command within marks, behind @, and before / and =', () => {
    assert.equal(runLine('"C:\\Program Files\\x.exe" a', {}).starts[0]?.name, 'C:\\Program Files\\x.exe');
    assert.equal(runLine('@dir/b', {}).starts[0]?.name, 'dir');
    assert.equal(runLine('a=b', {}).starts[0]?.name, 'a');
    assert.deepEqual(runLine(':label', {}).starts, []);
  });

  it('takes the outer marks off as cmd /? says', () => {
    assert.equal(runCmd(' /c "C:\\Program Files\\x.exe"', {}).starts[0]?.line, '"C:\\Program Files\\x.exe"');
    assert.equal(runCmd(' /c "a b" "c"', {}).starts[0]?.line, 'a b" "c');
    assert.equal(runCmd(' /d /s /c ""C:\\a b\\x.exe" "c""', {}).starts[0]?.line, '"C:\\a b\\x.exe" "c"');
    assert.equal(runCmd(' /c echo "a"', {}).starts[0]?.line, 'echo "a"');
  });

  it('splits the arguments of a batch file at delimiters, and takes marks off', () => {
    assert.deepEqual(batchArguments(' a,b;c=d "e f" "" "g""h"'), ['a', 'b', 'c', 'd', 'e f', '', 'g""h']);
  });
});

describe('the model of PowerShell', () => {
  it('ends a literal at any of five quotes, and takes the second of two', () => {
    for (const [source, value] of [["'a'", 'a'], ["'a''b'", "a'b"], ["'a\u2019 b", 'a'], ["'\u2018\u2019'", '\u2019'], ["\u201b$x`n\n\"'", '$x`n\n"']] as const) assert.equal(readLiteral(source, 0).value, value);
    assert.throws(() => readLiteral("'a", 0), /without an end/);
  });

  it('reads a data line, and a call, of their form alone', () => {
    assert.deepEqual(readDataLine("$kw=@{k='a;b}';w=@('x','y''z');b=$null}\nrest"), { data: new Map<string, unknown>([['k', 'a;b}'], ['w', ['x', "y'z"]], ['b', null]]), runner: 'rest' });
    for (const broken of ["$kw=@{k=a}\n", "$kw=@{k='a'}", "$kw=@{k='a';k='b'}\n", "$kw=@{k=\"a\"}\n", "$kw=@{w=@('a''b'}\n"]) assert.throws(() => readDataLine(broken), broken);
    assert.deepEqual(readCall("&$kw.x $kw.w[0] -A -B: $kw.w[1] -C:'d e' -F:$False;$kw.z=$?", ['a', 'b']), [
      { value: 'a' }, { parameter: 'A', with: undefined, takesNext: false }, { parameter: 'B', with: undefined, takesNext: true }, { value: 'b' }, { parameter: 'C', with: 'd e', takesNext: false }, { parameter: 'F', with: false, takesNext: false },
    ]);
    for (const broken of ['&$kw.x $kw.w[2];$kw.z=$?', '&$kw.x $(calc);$kw.z=$?', '&$kw.x -A:calc;$kw.z=$?', '&$kw.x;calc;$kw.z=$?']) assert.throws(() => readCall(broken, ['a']), broken);
  });
});
