#!/usr/bin/env node
import { run } from '../src/tooling/run-sources.ts';
run(process.argv.slice(2), process.argv[1]).catch((error) => {
  process.exitCode = 70;
  process.stderr.write(`error: ${error.stack}\n`);
});
