import { DATABASES } from '@crm/contracts';
import { requireNoDatabases } from '../../scripts/servers/citus.mjs';
import { startTestPlatform } from '../../scripts/testing/platform-for-tests.mjs';
import { startCollector } from './collector.mjs';
import { startRedis } from './redis.mjs';

/** Failed attempts come again within a second, so that a test sees what takes minutes in production. */
const WEBHOOK_RETRY_DELAYS = '0s,300ms,500ms,1s,2s,2s,2s,2s';

/**
 * Starts a platform for the run, whose limits are counted in Redis, and all of which is traced unless E2E_UNTRACED says that no
 * test looks at traces; on the cluster of CITUS_URL, if there is one. Its addresses go to the tests through the environment.
 */
export default async function start() {
  const { CITUS_URL, E2E_UNTRACED } = process.env;
  const databases = Object.values(DATABASES).map(({ database }) => database);
  if (CITUS_URL) await requireNoDatabases(CITUS_URL, databases);
  const [collector, redis] = await Promise.all([startCollector(), startRedis()]);
  const platform = await startTestPlatform({
    WEBHOOK_RETRY_DELAYS,
    ...(!E2E_UNTRACED && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLE_RATIO: '1' }),
    REDIS_URL: redis.url,
    ...(CITUS_URL && { DATABASE_URL: CITUS_URL }),
  });
  process.env.E2E_ADDRESSES = JSON.stringify(platform.addresses);
  process.env.E2E_COLLECTOR = collector.url;
  globalThis.e2ePlatform = platform;
  globalThis.e2eCollector = collector;
  globalThis.e2eRedis = redis;
}
