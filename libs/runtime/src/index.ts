export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export {
  databaseConfig,
  encryptionKeys,
  limitsConfig,
  type QuotaByPlan,
  quotaByPlan,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
export { createService, type RunningService, serviceDocument } from './create-service.js';
export { deadLetterProgram, runDeadLetterProgram } from './dead-letter/dead-letter-program.js';
export { metricsRegistry } from './observability/metrics.js';
export type { ServiceOptions } from './runtime.module.js';
export { explain, startService } from './start-service.js';
