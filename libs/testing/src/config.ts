const RUN_WITH = 'run the tests with: node scripts/with-test-servers.mjs <command>';

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: ${RUN_WITH}`);
  return value;
}

/** What the test command tells of its servers; read when it is needed, so that unit tests need none. */
export const testServers = {
  databaseUrl: (): string => required('TEST_DATABASE_URL'),
  /** The coordinator of a Citus cluster, by its administrator, for the databases that are distributed there. */
  clusterUrl: (): string | undefined => process.env.CITUS_URL || undefined,
  /** The NATS server that all test files share when each cannot have its own. */
  natsUrl: (): string => required('TEST_NATS_URL'),
  natsPassword: (): string => required('TEST_NATS_PASSWORD'),
  /** Path of the nats-server program, with which each test file starts a server of its own. */
  natsProgram: (): string | undefined => process.env.TEST_NATS_PROGRAM || undefined,
};

/** Returns whether the databases that are distributed lie on a cluster: there the plans of one server, triggers and locks over all tenants are no subject. */
export const isOnCluster = testServers.clusterUrl() !== undefined;
