import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { CONTEXT } from './contracts.mjs';
import { externalSecretsText } from './external-secrets.mjs';
import { find, ofKind } from './manifests.mjs';
import { renderWith } from './render-with.mjs';
import { manifestProblems } from './rules/index.mjs';
import { schemaProblems } from './schemas.mjs';

describe('production with secrets from a vault', () => {
  it('has the file that is made from the list of secrets', async () => {
    const file = inRoot('k8s', 'components', 'vault', 'external-secrets.yaml');
    const text = externalSecretsText(CONTEXT.handMade);
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('renders, and no rule finds anything', async () => {
    expect(await manifestProblems(await renderWith('vault'), CONTEXT)).toEqual([]);
  });

  it('fills every secret that production refers to and people make, with every key', async () => {
    const all = await renderWith('vault');
    const text = JSON.stringify(all.filter(({ kind }) => kind !== 'ExternalSecret'));
    const needed = CONTEXT.handMade.filter(({ name }) => text.includes(`"name":"${name}"`));
    const filled = ofKind(all, 'ExternalSecret');
    expect(filled.map(({ metadata }) => metadata.name).sort()).toEqual(needed.map(({ name }) => name).sort());
    for (const { name, keys } of needed) {
      const { target, data } = find(all, 'ExternalSecret', name)?.spec ?? {};
      expect(target.name).toBe(name);
      expect(data).toEqual(
        Object.keys(keys).map((key) => ({ secretKey: key, remoteRef: { key: `crm/${name}`, property: key } })),
      );
    }
  });

  it('keeps its secrets when the vault loses an entry, or the component is taken away', async () => {
    for (const { spec } of ofKind(await renderWith('vault'), 'ExternalSecret')) {
      expect(spec.target).toMatchObject({ creationPolicy: 'Orphan', deletionPolicy: 'Retain' });
    }
  });

  it('has a schema that finds a policy that External Secrets does not know', async () => {
    const broken = structuredClone(/** @type {any} */ (find(await renderWith('vault'), 'ExternalSecret', 'mail')));
    broken.spec.target.deletionPolicy = 'Keep';
    expect(await schemaProblems(broken)).toEqual([
      expect.stringContaining('/spec/target/deletionPolicy must be equal to one of the allowed values'),
    ]);
  });
});
