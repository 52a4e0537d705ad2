import { afterAll, describe, expect, it } from '@jest/globals';
import { examplePath, exampleText, lastLine, Workspace } from './command.js';

const workspace = new Workspace();
afterAll(() => workspace.remove());

const old = examplePath('industry-app');

interface Package {
  version: string;
  release: object;
  permissions: object[];
  objects: { apiName: string; fields: { apiName: string; type: string; required?: boolean }[] }[];
}

/** Writes the next version of the example with a change. */
function next(change: (manifest: Package) => void): string {
  const manifest: Package = JSON.parse(exampleText('industry-app'));
  manifest.version = '2.0.0';
  change(manifest);
  return workspace.write('new.json', manifest);
}

function upgrade(manifest: Package): void {
  manifest.permissions.push({ scope: 'contacts', purpose: 'Knows whom to visit.' });
  const [visit] = manifest.objects;
  visit!.fields = visit!.fields.filter(({ apiName }) => apiName !== 'hourly_rate' && apiName !== 'total');
  for (const field of visit!.fields) if (field.apiName === 'scheduled_on') field.required = true;
  visit!.fields.push({ apiName: 'place', type: 'text' });
}

describe('crm-dev diff', () => {
  it('shows what an upgrade adds, changes and removes, and its effects', async () => {
    const { status, out, err } = await workspace.run(['diff', old, next(upgrade)]);
    expect({ status, err }).toEqual({ status: 1, err: '' });
    expect(out).toMatchSnapshot();
  });

  it('ends with status 0 when the loss is declared', async () => {
    const file = next((manifest) => {
      upgrade(manifest);
      manifest.release = { breaking: ['The hourly rate is gone; write it down before.'] };
    });
    expect(await workspace.run(['diff', old, file])).toMatchObject({ status: 0 });
  });

  it('prints the changes as JSON', async () => {
    const { status, out } = await workspace.run(['diff', old, next(upgrade), '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(out).changes).toContainEqual({
      kind: 'added',
      pointer: '/permissions/4/scope',
      message: 'The scope "contacts" is new.',
      effect: 'safe',
      consent: true,
    });
  });

  it('finds no changes between a package and itself', async () => {
    const { status, out } = await workspace.run(['diff', old, old]);
    const verdict = 'acme-site-visits@1.0.0 → acme-site-visits@1.0.0: no changes for workspaces';
    expect([status, lastLine(out)]).toEqual([0, verdict]);
  });

  it.each([
    ['a text that is not JSON', '{', '1:2 is not a package: The document ends without the closing "}".\n'],
    ['a document that is not a package', '{\n  "kind": "x" }', '1:1 is not a package: Missing key "key".'],
  ])('does not compare %s', async (_what, text, message) => {
    const { status, err } = await workspace.run(['diff', old, workspace.write('bad.json', text)]);
    expect(status).toBe(2);
    expect(err.startsWith(`~/bad.json:${message}`)).toBe(true);
  });
});
