import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';

const PASSWORD = 'p0123-of-all-nodes';
const PSQL = '#!/bin/sh\n{ printf "ARGUMENTS %s\\n" "$*"; cat; } >> "$LOG"\n';
const inFolder = temporaryFolder();

it('the nodes of Citus are registered with the password in the environment, not as an argument that others can read', async () => {
  await writeFile(inFolder('psql'), PSQL, { mode: 0o755 });
  const { code, stderr } = await run('bash', [inRoot('k8s', 'overlays', 'production-citus', 'register-nodes.sh')], {
    env: {
      PATH: `${inFolder()}:${process.env.PATH}`,
      LOG: inFolder('log'),
      PGPASSWORD: PASSWORD,
      COORDINATOR: 'coordinator',
      WORKERS: 'worker',
    },
  });
  expect([code, stderr]).toEqual([0, '']);
  const text = await readFile(inFolder('log'), 'utf8');
  expect(text.match(/^ARGUMENTS/gm)).toHaveLength(5);
  expect(text).not.toContain(PASSWORD);
  // Once for each node, before what uses it.
  expect(text.match(/^\\getenv password PGPASSWORD\n[\s\S]*?regexp_replace\(:'password'/gm)).toHaveLength(2);
});
