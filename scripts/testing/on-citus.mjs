/** The tests that `npm test` also runs on a Citus cluster, where the databases that are distributed by tenant are
 * then: what each tenant sees, how records are found, nodes that are lost, and a platform as a whole. */
export const ON_CITUS = [
  'libs/database/test/isolation.spec.ts',
  'apps/custom-objects/test/list-forms.spec.ts',
  '.cluster.spec.ts',
  'e2e/catalogue.spec.ts',
  'e2e/access/other-tenants.spec.ts',
  'e2e/journey.spec.ts',
  'e2e/nodes.cluster.spec.ts',
];

/** Those that the long run adds, for statements that the others do not make. */
export const DEEP_ON_CITUS = [
  'apps/automation-hooks/test/erasure.spec.ts',
  'apps/automation-hooks/test/hook-calls.spec.ts',
  'apps/automation-hooks/test/queue.spec.ts',
  'apps/automation-hooks/test/runs.spec.ts',
  'apps/custom-objects/test/database.spec.ts',
  'apps/custom-objects/test/erasure.spec.ts',
  'apps/custom-objects/test/finding.spec.ts',
  'apps/custom-objects/test/non-interference.spec.ts',
  'apps/custom-objects/test/records.spec.ts',
  'apps/webhook-dispatcher/test/erasure.spec.ts',
  'apps/webhook-dispatcher/test/holding.spec.ts',
  'apps/webhook-dispatcher/test/record-order.spec.ts',
  'apps/webhook-dispatcher/test/replicas.spec.ts',
];
