import { readFileSync } from 'node:fs';
import path from 'node:path';
import { APP_KINDS } from '@crm/manifest';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Workspace } from './command.js';

const workspace = new Workspace();
afterAll(() => workspace.remove());

describe('crm-dev init', () => {
  it.each(APP_KINDS)('writes a %s that passes with its review packet', async (kind) => {
    const folder = workspace.path(`a/${kind}`);
    const written = await workspace.run(['init', '--kind', kind, folder]);
    expect(written).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringContaining(`Written: ~/a/${kind}/app.json`),
    });
    const [app, packet] = ['app.json', 'review-packet.json'].map((file) => path.join(folder, file));
    expect(JSON.parse(readFileSync(app!, 'utf8'))).toMatchObject({ kind });
    expect(await workspace.run(['certify', app!, '--review', packet!])).toMatchObject({ status: 0 });
  });

  it('does not overwrite existing files', async () => {
    const app = workspace.write('app.json', 'mine');
    const { status, err } = await workspace.run(['init', '--kind', 'industry_app', workspace.folder]);
    expect({ status, err }).toEqual({ status: 2, err: '~/app.json already exists; nothing is overwritten.\n' });
    expect(readFileSync(app, 'utf8')).toBe('mine');
  });
});
