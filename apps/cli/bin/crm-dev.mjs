#!/usr/bin/env node
// Not a built file, so that the command can be linked before the first build.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('crm-dev is not built. Build it with: npm run build\n');
  process.exitCode = 2;
}
