// Hooks of Node's loader that read our sources as the builds do: compiled by swc, packages of the workspace from `src`.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { inRoot } from '../root.mjs';

/** @type {import('node:module').ResolveHook} */
export const resolve = (specifier, context, next) => {
  const isSource = /^\.{1,2}\//.test(specifier) && context.parentURL?.endsWith('.ts');
  return next(isSource ? specifier.replace(/\.js$/, '.ts') : specifier, {
    ...context,
    conditions: ['source', ...context.conditions],
  });
};

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), { filename, configFile: inRoot('.swcrc') });
  return { format: 'module', source: code, shortCircuit: true };
};
