export { ConfigurationError, EnvironmentReader, readEnvironment } from './configuration/environment.js';
export {
  databaseConfig,
  PROFILES,
  type Profile,
  type ServiceConfig,
  serviceConfig,
} from './configuration/service-config.js';
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
  type ListAnswer,
  ListQuery,
  listAnswer,
  MAX_PAGE_SIZE,
  parsePage,
} from './dto/lists.js';
export type { DtoClass, JsonSchema } from './dto/schema.js';
export { BodyLimit, DEFAULT_BODY_LIMIT } from './http/body-limit.decorator.js';
export { IdParam } from './http/id-param.decorator.js';
export { redactPath } from './http/redact-path.js';
export { Describe, type DescribedAnswer, type RouteDescription } from './openapi/describe.decorator.js';
export { createService, type RunningService, type ServiceOptions, startService } from './start.js';
