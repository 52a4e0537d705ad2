// npm run new:service -- <name> <port> [noun]: makes apps/<name> as every service is laid out, and enters it in the list
// of services. What comes out builds, lints and passes its tests.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serviceFiles } from './new-service/files.mjs';
import { enterService } from './new-service/service-list.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { pnpmProgram, withoutNpmVariables } from './setup/pnpm.mjs';

const USAGE = 'npm run new:service -- <name> <port> [noun]   e.g. npm run new:service -- quote-engine 4107 quote';

/**
 * @param {readonly string[]} args
 * @returns {{ name: string, port: number, noun: string }}
 * @throws {PlainError} for arguments no service can be made of
 */
export function readArguments(args) {
  const [name = '', port = '', noun = 'example'] = args;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new PlainError(`The name is lower-case words with dashes.\n${USAGE}`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(noun))
    throw new PlainError(`The noun is lower-case words with dashes.\n${USAGE}`);
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1024 || number > 64_535) {
    throw new PlainError(`The port is a number from 1024 to 64535; health is served on the port + 1000.\n${USAGE}`);
  }
  return { name, port: number, noun };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runCommand(async () => {
    const { name, port, noun } = readArguments(process.argv.slice(2));
    const folder = inRoot('apps', name);
    if (existsSync(folder)) throw new PlainError(`apps/${name} exists already.`);
    const listFile = inRoot('libs', 'contracts', 'src', 'services.ts');
    const list = enterService(readFileSync(listFile, 'utf8'), name, port);

    for (const [file, text] of Object.entries(serviceFiles(name, noun))) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    writeFileSync(listFile, list);
    const installed = await run(await pnpmProgram(), ['install'], { cwd: ROOT, env: withoutNpmVariables(process.env) });
    if (installed.code !== 0) throw new PlainError(`pnpm install failed:\n${installed.stdout}\n${installed.stderr}`);
    const written = await run(process.execPath, [inRoot('scripts', 'docs.mjs')], { cwd: ROOT });
    if (written.code !== 0) throw new PlainError(`npm run docs failed:\n${written.stderr}`);
    await run(inRoot('node_modules', '.bin', 'biome'), ['check', '--write', folder, listFile], { cwd: ROOT });
    process.stdout.write(
      `apps/${name} is there, on port ${port}. Next:\n` +
        '  npm run check: format, types, import rules, unit tests\n' +
        `  npm test -- apps/${name}\n` +
        `  npm start -- --only ${name}\n` +
        `  apps/${name}/README.md: what to add for a database, events, calls and a public address\n`,
    );
  });
}
