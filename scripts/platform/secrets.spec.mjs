import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSecrets } from './secrets.mjs';

describe('the secrets of a data folder', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are made once, readable by the owner alone', async () => {
    const first = await loadSecrets(folder, { stateful: ['identity'], natsUsers: ['identity'] });
    expect(await loadSecrets(folder, { stateful: ['identity'], natsUsers: ['identity'] })).toEqual(first);
    expect((await stat(path.join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
    const [id, key = ''] = (first.keyEncryption.identity ?? '').split(':');
    expect([id, Buffer.from(key, 'base64').length]).toEqual(['1', 32]);
  });

  it('grow with the services and keep what they had', async () => {
    const first = await loadSecrets(folder, { stateful: ['identity'], natsUsers: ['identity'] });
    const second = await loadSecrets(folder, { stateful: ['identity', 'billing'], natsUsers: ['identity', 'billing'] });
    expect(second.databases.identity).toEqual(first.databases.identity);
    expect(second.nats.identity).toEqual(first.nats.identity);
    expect(second.databases.billing?.runtime).toHaveLength(32);
  });

  it('are not made anew over data that was made with others', async () => {
    await mkdir(path.join(folder, 'postgres'));
    await expect(loadSecrets(folder, { stateful: [], natsUsers: [] })).rejects.toThrow('npm run reset');
  });

  it('are not replaced when the file is damaged', async () => {
    await writeFile(path.join(folder, 'secrets.json'), '{"postgres": ');
    await expect(loadSecrets(folder, { stateful: [], natsUsers: [] })).rejects.toThrow('not valid JSON');
  });
});
