export { bodyOf } from './dto/body-of.js';
export { type CursorBinding, type CursorValueType, type Position, readCursor, writeCursor } from './dto/cursor.js';
export { DtoPipe } from './dto/dto.pipe.js';
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
  JsonValueField,
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
export { HTTP_CONFIG, type HttpConfig } from './http-config.js';
export {
  ApiGroup,
  type ApiGroupDescription,
  Describe,
  type DescribedAnswer,
  type HeaderDescription,
  type RouteDescription,
} from './openapi/describe.decorator.js';
export { DocsPageController } from './openapi/docs-page.controller.js';
export { API_INFO, openApiDocument, SECURITY_SCHEMES } from './openapi/document.js';
export { OpenApiController, OperatorsOpenApiController } from './openapi/openapi.controller.js';
export { type Asset, encodedFor, readPage } from './page/page-files.js';
export { ServedPage } from './page/served-page.js';
export { ProblemFilter } from './problem/problem.filter.js';
export {
  PROBLEM_TYPE,
  type Problem,
  problemHeaders,
  problemTypeUrl,
  toPlatformError,
  toProblem,
} from './problem/problem.js';
export { redactPath } from './problem/redact-path.js';
export { type ExpectedVersions, entityTag, IfMatch, parseIfMatch, requireMatch } from './route/entity-tag.js';
export { IdParam, IdPipe } from './route/id-param.decorator.js';
export { bindInputPipe } from './route/input-pipes.js';
export { isOfOperators, listRoutes, type RouteEntry, requireAccessRules } from './route/list-routes.js';
export { NotRepeatable } from './route/not-repeatable.decorator.js';
export {
  BodyLimit,
  ConstantProblems,
  CREDENTIALS_BODY_LIMIT,
  DEFAULT_BODY_LIMIT,
  FormBody,
} from './route/route-settings.decorators.js';
export { createHttpAdapter } from './server/adapter.js';
export { drainServer } from './server/drain.js';
export { operatorsServer } from './server/operators-server.js';
