// The build of a service; by itself: node ../../scripts/bundle.mjs, in the folder of an app.
// Puts each program of the service into one file (and a few chunks that it shares or loads later), with everything it
// imports. A service then starts in a third of the time and with two thirds of the memory, because Node has a handful of
// files to find and to read and not a thousand (decision record 0053).
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transform } from '@swc/core';
import { rolldown } from 'rolldown';
import { leaveOut } from './bundle/left-out.mjs';
import { OUTSIDE_NAMES } from './bundle/outside.mjs';
import { keepOwnSources } from './bundle/own-source-map.mjs';
import { inRoot } from './root.mjs';

/** What a service may have, below `src`. The folder `dist` gets a file of the same name for each. */
const PROGRAMS = [
  'main.ts',
  'migrations/index.ts',
  'seed.ts',
  'operator.ts',
  'rotate-keys.ts',
  'reencrypt.ts',
  'dead-letters.ts',
  'migrate.ts',
  'provision-platform.ts',
];

/** Nest's core loads it when no HTTP adapter is given. Every service gives Fastify's; an example has this one installed. */
const NEVER_LOADED = ['@nestjs/platform-express'];

const TYPESCRIPT = /\.ts$/;

/** What services share is compiled once for all that are built in this process. @type {Map<string, Promise<import('@swc/core').Output>>} */
const compiled = new Map();

/** By the compiler of the tests, which knows the types of decorated parameters, from which Nest learns what to inject.
 * @type {import('rolldown').Plugin} */
const swc = {
  name: 'swc',
  transform: {
    filter: { id: TYPESCRIPT },
    async handler(code, id) {
      const result =
        compiled.get(id) ?? transform(code, { filename: id, configFile: inRoot('.swcrc'), sourceMaps: true });
      compiled.set(id, result);
      const { code: javascript, map = null } = await result;
      return { code: javascript, map, moduleType: 'js' };
    },
  },
};

/** Nest's ValidationPipe imports these two whole, every validator and all telephone numbers, unless it is handed what
 * it needs. @type {import('rolldown').Plugin} */
const handedToNest = {
  name: 'handed-to-nest',
  resolveId: {
    filter: { id: /^class-(validator|transformer)$/ },
    handler: (id, importer) => (importer?.includes('@nestjs') ? { id, external: true } : null),
  },
};

/** @param {string} app folder of the service */
export async function bundle(app) {
  const source = path.join(app, 'src');
  const programs = PROGRAMS.filter((file) => existsSync(path.join(source, file)));
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((file) => [file.replace(TYPESCRIPT, ''), path.join(source, file)])),
    cwd: app,
    platform: 'node',
    external: [...OUTSIDE_NAMES, ...NEVER_LOADED],
    resolve: {
      // Packages of the workspace are read from their sources, as in the tests.
      conditionNames: ['source', 'node'],
      extensionAlias: { '.js': ['.ts', '.js'] },
      // Its modules for bundlers, of which only the decorators in use are taken.
      alias: { 'class-validator': 'class-validator/esm2015/index.js' },
    },
    plugins: [handedToNest, leaveOut, swc],
    // A file that a source names by its address goes with the bundle.
    experimental: { resolveNewUrlToAsset: true },
    onLog(level, log, handle) {
      // Libraries ask for optional packages, and cope when they are not there. We do not.
      const importer = log.id ?? log.loc?.file ?? '';
      if (log.code === 'UNRESOLVED_IMPORT' && importer.includes('node_modules')) return;
      if (level === 'warn') handle('error', log);
      else handle(level, log);
    },
  });
  const folder = path.join(app, 'dist');
  const { output } = await bundle.write({
    dir: folder,
    cleanDir: true,
    format: 'esm',
    // Nest, OpenAPI and errors show the names of classes; two classes of one name must both keep it.
    keepNames: true,
    // V8 keeps the source of what it has loaded. One character beyond Latin-1 makes it keep two bytes for each, so all of
    // them are escaped; documentation is not for V8. Lines stay, for someone who reads where an error was.
    minify: { compress: false, mangle: false, codegen: { asciiOnly: true, removeWhitespace: false } },
    comments: false,
    sourcemap: true,
    // Node shows where an error came from by file and line; the files are there.
    sourcemapExcludeSources: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
  for (const { fileName } of output.filter((file) => file.fileName.endsWith('.map'))) {
    const file = path.join(folder, fileName);
    await writeFile(file, JSON.stringify(keepOwnSources(JSON.parse(await readFile(file, 'utf8')))));
  }
}

if (process.argv[1] === import.meta.filename) await bundle(process.cwd());
