export { bodyOf, DtoPipe } from './dto/dto.pipe.js';
export {
  BooleanField,
  DateField,
  DateTimeField,
  EmailField,
  EnumField,
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
  type CursorBinding,
  type CursorValueType,
  DEFAULT_PAGE_SIZE,
  fitsCursor,
  idPosition,
  type ListAnswer,
  type ListPage,
  ListQuery,
  listAnswer,
  MAX_PAGE_SIZE,
  mapList,
  type Position,
  parsePage,
  readCursor,
  writeCursor,
} from './dto/lists.js';
export type { DtoClass, JsonSchema } from './dto/schema.js';
export {
  ApiGroup,
  type ApiGroupDescription,
  Describe,
  type DescribedAnswer,
  type HeaderDescription,
  type RouteDescription,
} from './openapi/describe.decorator.js';
export { API_INFO, openApiDocument } from './openapi/document.js';
export { DocsPageController, OpenApiController, OperatorsOpenApiController } from './openapi/openapi.controller.js';
export {
  acceptedCodings,
  encodedFor,
  newNonce,
  type ReplyHead,
  readPage,
  ServedPage,
  withAttributes,
} from './page/page-files.js';
export { ProblemFilter, shownPath } from './problem/problem.filter.js';
export { type Problem, toPlatformError } from './problem/problem.js';
export { bindInputPipe, isOfOperators, listRoutes, type RouteEntry, requireAccessRules } from './route/list-routes.js';
export {
  BodyLimit,
  ConstantProblems,
  CREDENTIALS_BODY_LIMIT,
  DEFAULT_BODY_LIMIT,
  type ExpectedVersions,
  entityTag,
  FormBody,
  IdParam,
  IfMatch,
  NotRepeatable,
  requireMatch,
} from './route/route.decorators.js';
export {
  createHttpAdapter,
  DRAINING,
  drainServer,
  HTTP_CONFIG,
  operatorsServer,
  type ServedKeyPair,
} from './server/adapter.js';
export { withoutRoute } from './server/unrouted.js';
