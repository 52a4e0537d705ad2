import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';

const PASSWORD = 'p0123-of-all-nodes';

describe('the registration of the nodes of Citus', () => {
  it('hands the password of the superuser over by the environment, not as an argument that others can read', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-citus-'));
    try {
      const log = path.join(folder, 'log');
      const psql = '#!/bin/sh\n{ printf "ARGUMENTS %s\\n" "$*"; cat; } >> "$LOG"\n';
      await writeFile(path.join(folder, 'psql'), psql);
      await chmod(path.join(folder, 'psql'), 0o755);
      const { code, stderr } = await run('bash', [inRoot('k8s', 'overlays', 'production-citus', 'register-nodes.sh')], {
        env: {
          PATH: `${folder}:${process.env.PATH}`,
          LOG: log,
          PGPASSWORD: PASSWORD,
          COORDINATOR: 'coordinator',
          WORKERS: 'worker',
          DATABASES: 'identity',
        },
      });
      expect([code, stderr]).toEqual([0, '']);
      const text = await readFile(log, 'utf8');
      expect(text.match(/^ARGUMENTS/gm)).toHaveLength(7);
      expect(text).not.toContain(PASSWORD);
      // Once for each node, before what uses it.
      expect(text.match(/^\\getenv password PGPASSWORD\n[\s\S]*?quote_literal\(:'password'\)/gm)).toHaveLength(2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
