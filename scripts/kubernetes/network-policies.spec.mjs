import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { NETWORK } from './contracts.mjs';
import { networkPoliciesText } from './network-policies.mjs';

describe('the network policies', () => {
  it('match the file in k8s', async () => {
    const file = inRoot('k8s', 'base', 'network', 'connections.yaml');
    const text = networkPoliciesText(NETWORK);
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
