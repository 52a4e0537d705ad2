// The build of a page: an app with src/index.html. Writes dist/index.html and dist/assets with hashed names, each asset also compressed as far as it goes, so that the service
// that serves them compresses nothing (decision record 0191).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { inRoot } from './root.mjs';

/** @param {string} app folder of the page @param {string} base path that its files are served below, such as /embed/ */
export async function buildPage(app, base) {
  const outDir = path.join(app, 'dist');
  await build({
    configFile: false,
    root: path.join(app, 'src'),
    base,
    logLevel: 'warn',
    cacheDir: inRoot('.cache', 'vite', path.basename(app)),
    publicDir: false,
    plugins: [react()],
    // Packages of the workspace are read from their sources, as in the tests.
    resolve: { conditions: ['source', 'module', 'browser', 'production'] },
    build: {
      outDir,
      emptyOutDir: true,
      // Which file loads which: the tests of sizes read it.
      manifest: true,
      target: 'es2022',
      // The policy of the page allows no data: addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Parts that most views share are one file: many small ones compress worse (the list has 233 KiB without it, 230 with it).
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ name: 'kit', test: /@mantine\/core\/esm\/components|floating-ui/, minShareCount: 7 }],
          },
        },
      },
      reportCompressedSize: false,
    },
  });
  const assets = path.join(outDir, 'assets');
  await Promise.all((await readdir(assets)).map((name) => compress(path.join(assets, name))));
}

/** @param {string} file */
async function compress(file) {
  const content = await readFile(file);
  const [small, smaller] = await Promise.all([
    promisify(gzip)(content, { level: 9 }),
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  ]);
  await Promise.all([writeFile(`${file}.gz`, small), writeFile(`${file}.br`, smaller)]);
}
