/** The platform of the run, between its start and its end. */
declare var e2ePlatform: import('../../scripts/testing/platform-for-tests.mjs').TestPlatform;
/** Where it sends its traces. */
declare var e2eCollector: Awaited<ReturnType<typeof import('./collector.mjs').startCollector>>;
/** In which its services count limits. */
declare var e2eRedis: Awaited<ReturnType<typeof import('./redis.mjs').startRedis>>;
