import { DATABASES } from '@crm/contracts';
import { dropDatabases } from '../../scripts/servers/citus.mjs';

/** Stops the platform of the run and removes its data. */
export default async function stop() {
  await globalThis.e2ePlatform.stop();
  await globalThis.e2eCollector.stop();
  await globalThis.e2eRedis.stop();
  const { CITUS_URL } = process.env;
  if (CITUS_URL)
    await dropDatabases(
      CITUS_URL,
      Object.values(DATABASES).map(({ database }) => database),
    );
}
