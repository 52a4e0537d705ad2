export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export {
  databaseConfig,
  encryptionKeys,
  limitsConfig,
  PROFILES,
  type Profile,
  type QuotaByPlan,
  quotaByPlan,
  SERVICE_CONFIG,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
export { authoritiesConfig, readAuthorities } from './configuration/tls-config.js';
export { createService, type RunningService, serviceDocument } from './create-service.js';
export {
  type DeadLetterProgramOutput,
  deadLetterProgram,
  runDeadLetterProgram,
} from './dead-letter/dead-letter-program.js';
export { metricsRegistry } from './observability/metrics.js';
export type { ServiceOptions } from './runtime.module.js';
export { explain, startService } from './start-service.js';
export { type FollowedFiles, followFiles } from './transport/served-certificate.js';
