import { describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { ChildServer } from './child-server.mjs';
import { Guard } from './guard.mjs';

const inFolder = temporaryFolder();

/** @param {string} line of its log @param {number} [free] bytes on the disk @returns the error of a server that prints it and ends */
async function failedStart(line, free) {
  const guard = new Guard();
  const server = await ChildServer.start({
    name: 'PostgreSQL',
    command: process.execPath,
    args: ['-e', `console.error(${JSON.stringify(line)}); process.exitCode = 1`],
    logFile: inFolder('postgres.log'),
    guard,
  });
  await server.ended;
  guard.dismiss();
  return server.startError({ dataDir: inFolder(), port: 5432 }, /FATAL|PANIC/, free).message;
}

describe('a server that does not start', () => {
  it.each([
    'FATAL:  could not write lock file "postmaster.pid": No space left on device',
    'PANIC:  could not write to file "pg_wal/xlogtemp.7": Disk quota exceeded',
    '[FTL] Can not start JetStream: write /data/jetstream: no space left on device',
  ])('for want of space says that space must be freed, and advises nobody to delete data: %s', async (line) => {
    const message = await failedStart(line);
    expect(message).toContain(line);
    expect(message).toContain('The disk is full: free some space and start again. The data is kept');
    expect(message).not.toContain('npm run reset');
  });

  it('on a full disk says so, although its log had no space for the reason', async () => {
    expect(await failedStart('starting PostgreSQL', 4096)).toContain('The disk is full');
  });

  it('for another reason names the command that begins afresh', async () => {
    expect(await failedStart('FATAL:  invalid data in file "global/pg_control"')).toContain('npm run reset');
  });
});
