import { startTestPlatform } from '../../scripts/testing/platform-for-tests.mjs';

/** Failed attempts come again within a second, so that a test sees what takes minutes in production. */
const WEBHOOK_RETRY_DELAYS = '0s,300ms,500ms,1s,2s,2s,2s,2s';

/** Starts a platform for the run; its addresses go to the tests through the environment. */
export default async function start() {
  const platform = await startTestPlatform({ WEBHOOK_RETRY_DELAYS });
  process.env.E2E_ADDRESSES = JSON.stringify(platform.addresses);
  globalThis.e2ePlatform = platform;
}
