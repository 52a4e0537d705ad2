// For tests: production with components that an overlay may choose.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inRoot } from '../root.mjs';
import { renderFolder } from './render.mjs';

const LAST = '  - ../../components/database-backup\n';

/**
 * @param {...string} components folders below `k8s/components`
 * @returns {Promise<import('./render.mjs').Manifest[]>}
 */
export async function renderWith(...components) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-k8s-'));
  try {
    await cp(inRoot('k8s'), folder, { recursive: true });
    const overlay = path.join(folder, 'overlays', 'production');
    const file = path.join(overlay, 'kustomization.yaml');
    const text = await readFile(file, 'utf8');
    if (!text.includes(LAST)) throw new Error(`The list of components of production does not end with ${LAST.trim()}`);
    const added = components.map((component) => `  - ../../components/${component}\n`).join('');
    await writeFile(file, text.replace(LAST, LAST + added));
    return await renderFolder(overlay);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
