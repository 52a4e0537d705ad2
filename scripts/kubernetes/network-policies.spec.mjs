import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../apps/gateway/src/routing/routing.js';
import { BEHIND_GATEWAY } from '../../libs/contracts/src/connections.js';
import { inRoot } from '../root.mjs';
import { NETWORK } from './contracts.mjs';
import { networkPoliciesText } from './network-policies.mjs';

describe('the connections of the contracts', () => {
  it('lead from the gateway to the services of its routes and to no other', () => {
    expect([...BEHIND_GATEWAY].sort()).toEqual([...new Set(ROUTES.map(([, upstream]) => upstream))].sort());
  });
});

describe('the network policies', () => {
  it('match the file in k8s', async () => {
    const file = inRoot('k8s', 'base', 'network', 'connections.yaml');
    const text = networkPoliciesText(NETWORK);
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
