#!/usr/bin/env node
// A file of its own and not a built one, so that the command is linked before anything is built.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('crm-dev is not built. Build it with: npm run build\n');
  process.exitCode = 2;
}
