// Limits of services, which are bundles that export nothing: read where they are declared.
import { readFile } from 'node:fs/promises';
import { inRoot } from '../../scripts/root.mjs';

/** The value of `const NAME = 2_000`, of `const NAME = 256 * 1024`, or of the first `name: 10_000`. @param {string} file below `apps` @param {string} name */
export async function limitOf(file, name) {
  const text = await readFile(inRoot('apps', file), 'utf8');
  const factors = new RegExp(`\\b${name}(?: =|:) ([\\d_ *]+)`).exec(text)?.[1];
  if (!factors) throw new Error(`apps/${file} declares no ${name}`);
  return factors
    .replaceAll('_', '')
    .split('*')
    .reduce((product, factor) => product * Number(factor), 1);
}
