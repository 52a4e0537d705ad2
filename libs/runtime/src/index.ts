export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export {
  databaseConfig,
  PROFILES,
  type Profile,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
export { createService, type RunningService } from './create-service.js';
export { metricsRegistry } from './observability/metrics.js';
export { type PoisonProgramOutput, poisonProgram, runPoisonProgram } from './poison/poison-program.js';
export { SERVICE_CONFIG } from './service-config.token.js';
export type { ServiceOptions } from './service-options.js';
export { startService } from './start-service.js';
