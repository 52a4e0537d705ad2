export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export {
  databaseConfig,
  PROFILES,
  type Profile,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
export { createService, type RunningService } from './create-service.js';
export { type CursorBinding, type CursorValueType, type Position, readCursor, writeCursor } from './dto/cursor.js';
export {
  BooleanField,
  DateField,
  DateTimeField,
  EmailField,
  EnumField,
  type FieldOptions,
  field,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
  UrlField,
} from './dto/fields.js';
export {
  COUNT_LIMIT,
  DEFAULT_PAGE_SIZE,
  idPosition,
  type ListAnswer,
  type ListPage,
  ListQuery,
  listAnswer,
  MAX_OFFSET,
  MAX_PAGE_SIZE,
  mapList,
  parsePage,
} from './dto/lists.js';
export type { DtoClass, JsonSchema } from './dto/schema.js';
export { RefreshInput, SignInInput, TokenPairView } from './dto/sign-in.js';
export { Workspace } from './dto/workspace.js';
export { type ExpectedVersions, entityTag, IfMatch, parseIfMatch, requireMatch } from './http/entity-tag.js';
export { IdParam, IdPipe } from './http/id-param.decorator.js';
export { NotRepeatable } from './http/not-repeatable.decorator.js';
export { ProblemFilter } from './http/problem.filter.js';
export {
  PROBLEM_TYPE,
  type Problem,
  problemHeaders,
  problemTypeUrl,
  toPlatformError,
  toProblem,
} from './http/problem.js';
export { type Limiter, type LimiterCount, limitHeaders, limitState, rateLimited } from './http/rate-limits.js';
export { redactPath } from './http/redact-path.js';
export { BodyLimit, ConstantProblems, DEFAULT_BODY_LIMIT } from './http/route-settings.decorators.js';
export { metricsRegistry } from './observability/metrics.js';
export { Describe, type DescribedAnswer, type RouteDescription } from './openapi/describe.decorator.js';
export { openApiDocument } from './openapi/document.js';
export { type PoisonProgramOutput, poisonProgram, runPoisonProgram } from './poison/poison-program.js';
export { listRoutes, type RouteEntry } from './routes/list-routes.js';
export { SERVICE_CONFIG } from './service-kit.tokens.js';
export type { ServiceOptions } from './service-options.js';
export { startService } from './start-service.js';
export { TenantShares } from './work/tenant-shares.js';
