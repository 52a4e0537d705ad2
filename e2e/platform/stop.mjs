import { rm } from 'node:fs/promises';

/** Stops the platform of the run and removes its data. */
export default async function stop() {
  const { child, dataDir } = globalThis.e2ePlatform;
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  await rm(dataDir, { recursive: true, force: true });
}
