import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { renderOverlay } from './kubernetes/render.mjs';
import { run } from './processes/run.mjs';
import { inRoot } from './root.mjs';

/** @param {readonly string[]} args */
const command = (args) => run(process.execPath, [inRoot('scripts', 'kubernetes.mjs'), ...args]);

describe('npm run k8s', () => {
  it('renders what kubectl, which reads YAML 1.1, understands as what kustomize says', async () => {
    const { code, stdout } = await command(['render', 'production']);
    expect(code).toBe(0);
    const read = parseAllDocuments(stdout, { version: '1.1' });
    expect(Array.isArray(read) && read.map((document) => document.toJS())).toEqual(await renderOverlay('production'));
  }, 60_000);

  it('makes the secrets that are named alone, without asking for what only others need', async () => {
    const { code, stdout } = await command(['secrets', 'production', 'nats-users']);
    expect(code).toBe(0);
    expect(stdout.match(/^kind: .*|^ {2}name: .*/gm)).toEqual(['kind: Secret', '  name: nats-users']);
  }, 60_000);

  it('makes nothing when a name is unknown', async () => {
    const { code, stdout, stderr } = await command(['secrets', 'production', 'nats-users', 'nats']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No secret of this overlay: nats\n');
  }, 60_000);
});
