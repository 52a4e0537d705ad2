export { readAuthorities } from './configuration/authorities.js';
export { encryptionKeys } from './configuration/encryption-config.js';
export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export { limitsConfig } from './configuration/limits-config.js';
export { type QuotaByPlan, quotaByPlan } from './configuration/quota-config.js';
export {
  databaseConfig,
  PROFILES,
  type Profile,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
export { authoritiesConfig } from './configuration/tls-config.js';
export { createService, type RunningService, serviceDocument } from './create-service.js';
export {
  type DeadLetterProgramOutput,
  deadLetterProgram,
  runDeadLetterProgram,
} from './dead-letter/dead-letter-program.js';
export { explain } from './explain.js';
export { metricsRegistry } from './observability/metrics.js';
export { SERVICE_CONFIG } from './service-config.token.js';
export type { ServiceOptions } from './service-options.js';
export { startService } from './start-service.js';
export { type FollowedFiles, followFiles } from './transport/followed-files.js';
