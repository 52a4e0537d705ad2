import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';

/** @returns {Promise<Map<string, string>>} the hash of each package's archive, by `name@version` */
export async function lockedIntegrity() {
  /** @type {{ packages: Record<string, { resolution?: { integrity?: string } }> }} */
  const { packages } = parse(await readFile(inRoot('pnpm-lock.yaml'), 'utf8'));
  return new Map(
    Object.entries(packages).flatMap(([key, { resolution }]) =>
      resolution?.integrity ? [[key, resolution.integrity]] : [],
    ),
  );
}
