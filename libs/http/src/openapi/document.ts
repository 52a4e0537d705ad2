import { ERRORS, type ErrorCode, isEdge, OPERATORS_PREFIX, PLATFORM_VERSION } from '@crm/contracts';
import { HttpStatus, type INestApplicationContext } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { type JsonSchema, type SchemaPart, schemaOf } from '../dto/schema.js';
import { PROBLEM_TYPE } from '../problem/problem.js';
import { type ControllerRoute, controllerRoutes, isOfOperators } from '../route/list-routes.js';
import { isNotRepeatable, settingsOf } from '../route/route.decorators.js';
import type { HttpConfig } from '../server/adapter.js';
import { Components, type Json, ListEnvelope, ProblemDocument } from './components.js';
import {
  API_GROUP,
  type ApiGroupDescription,
  accessText,
  type Caller,
  type DescribedAnswer,
  ROUTE_DESCRIPTION,
  type RouteDescription,
  takesApiKeys,
} from './describe.decorator.js';
import { exampleOf, type HandlerInputs, inputsOf } from './inputs.js';

/** Codes that follow from the decorators of a route, in addition to those it declares itself. */
function impliedRefusals(route: ControllerRoute, inputs: HandlerInputs, hasBody: boolean): ErrorCode[] {
  const { access } = route;
  const handler = route.controller.prototype[route.methodName];
  // A route with a form follows another standard and describes its refusals of requests itself.
  const isForm = settingsOf(handler).formBody === true;
  const refusesEmbed = access && !(access.embed ?? access.scope !== undefined);
  const takesKeys = takesApiKeys(access);
  return [
    ...(route.public ? [] : (['UNAUTHENTICATED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'FORBIDDEN'] as const)),
    ...(access?.scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
    ...(access?.proof || access?.person === 'proof' ? (['STEP_UP_REQUIRED'] as const) : []),
    ...(refusesEmbed ? (['EMBED_TOKEN_REFUSED'] as const) : []),
    ...(takesKeys ? (['INVALID_API_KEY'] as const) : []),
    ...(access && !takesKeys ? (['API_KEY_REFUSED'] as const) : []),
    ...(inputs.hasQuery ? (['INVALID_QUERY'] as const) : []),
    ...(route.path.includes(':') ? (['NOT_FOUND'] as const) : []),
    ...(hasBody && !isForm
      ? (['MALFORMED_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED'] as const)
      : []),
    ...(isNotRepeatable(handler) && !isForm ? (['MALFORMED_REQUEST'] as const) : []),
    ...(inputs.headers.includes('if-match') ? (['MALFORMED_REQUEST', 'VERSION_MISMATCH'] as const) : []),
    ...(inputs.headers.includes('idempotency-key')
      ? (['MALFORMED_REQUEST', 'IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const)
      : []),
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
  ];
}

function refusalResponses(codes: readonly ErrorCode[], components: Components): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const written = [...byStatus].map(([status, list]): [string, Json] => [
    String(status),
    {
      description: list.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('\n\n'),
      content: {
        [PROBLEM_TYPE]: {
          schema: components.schema(ProblemDocument),
          examples: Object.fromEntries(list.map((code) => [code, components.problemExample(code)])),
        },
      },
    },
  ]);
  return Object.fromEntries(written);
}

export const API_INFO = {
  version: PLATFORM_VERSION,
  description:
    'The API of a CRM that workspaces extend with apps. Bodies are JSON; every error is a problem document (RFC 9457) with a stable `code`. Lists are paginated with a cursor.',
  contact: { name: 'CRM developer platform', url: 'https://crm.example.com/support' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token, valid for 15 minutes, from signing in, the embed gateway, or the OAuth token endpoint',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'crmk_…',
    description: 'An API key of a user or service account, sent like an access token',
  },
} as const;

/** @param forOperators the routes that operators reach, with the paths that they have at marketplace-admin */
export function openApiDocument(
  app: INestApplicationContext,
  config: Pick<HttpConfig, 'name' | 'baseUrl'>,
  forOperators = false,
): Json {
  const components = new Components(config.baseUrl);
  const paths: Record<string, Json> = {};
  const groups = new Map<string, ApiGroupDescription>();
  let takesTokens = false;
  const caller = forOperators || config.name === 'marketplace-admin' ? 'operators' : 'users';
  for (const route of controllerRoutes(app)) {
    if (isOfOperators(route) !== forOperators) continue;
    const handler = route.controller.prototype[route.methodName] as object;
    const description = Reflect.getMetadata(ROUTE_DESCRIPTION, handler) as RouteDescription | undefined;
    if (description?.hidden) continue;
    takesTokens ||= !route.public;
    const group = groupOf(route);
    groups.set(group.name, group);
    const publicPath = forOperators ? route.path.slice(OPERATORS_PREFIX.length) : route.path;
    const path = publicPath.replace(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operation(caller, route, group, description, components) };
  }
  return {
    openapi: '3.1.1',
    info: { title: `CRM developer platform: ${config.name}`, ...API_INFO },
    // An edge answers at the address where the document was read (a relative URL is meant so); the rest has the gateway's.
    servers: [{ url: isEdge(config.name) ? '/' : config.baseUrl }],
    tags: [...groups.values()].sort((left, right) => left.name.localeCompare(right.name)),
    paths,
    components: { ...components.all(), ...(takesTokens && { securitySchemes: schemesOf(paths) }) },
  };
}

function schemesOf(paths: Record<string, Json>): Json {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { security?: object[] }[]);
  const named = new Set(operations.flatMap(({ security = [] }) => security.flatMap((each) => Object.keys(each))));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => named.has(name)));
}

/** The group that the controller declares, else its noun: `LeadController` → `lead`. */
function groupOf({ controller }: ControllerRoute): ApiGroupDescription {
  const declared = Reflect.getMetadata(API_GROUP, controller) as ApiGroupDescription | undefined;
  if (declared) return declared;
  const noun = controller.name.replace(/Controller$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return { name: noun.toLowerCase(), description: '' };
}

function operation(
  caller: Caller,
  route: ControllerRoute,
  group: ApiGroupDescription,
  description: RouteDescription | undefined,
  components: Components,
): Json {
  const inputs = inputsOf(route, description?.headers ?? [], components);
  const body = requestBody(inputs.body, description, components);
  const isForm = settingsOf(route.controller.prototype[route.methodName] as object).formBody === true;
  const bodyType = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const refusals = [...(description?.errors ?? []), ...impliedRefusals(route, inputs, body !== undefined)];
  const texts = [description?.description, accessText(route, caller)].filter((text) => text !== undefined);
  return {
    operationId: `${route.controller.name.replace(/^Operators(?=[A-Z])|Controller$/g, '')}_${route.methodName}`,
    tags: [group.name],
    ...(description && { summary: description.summary }),
    ...(description?.deprecated && { deprecated: true }),
    description: texts.join('\n\n'),
    ...(inputs.parameters.length > 0 && { parameters: inputs.parameters }),
    ...(body && { requestBody: { required: true, content: { [bodyType]: body } } }),
    responses: {
      ...answers(route, description?.answers ?? [], components),
      ...refusalResponses(refusals, components),
      default: {
        description: 'Any other error',
        content: { [PROBLEM_TYPE]: { schema: components.schema(ProblemDocument) } },
      },
    },
    security: route.public ? [] : [{ bearer: [] }, ...(takesApiKeys(route.access) ? [{ apiKey: [] }] : [])],
    ...(route.access && { 'x-access': route.access }),
  };
}

function requestBody(
  declared: ReturnType<typeof inputsOf>['body'],
  description: RouteDescription | undefined,
  components: Components,
): Json | undefined {
  const free: JsonSchema = { type: 'object' };
  const part: SchemaPart | undefined =
    description?.body ?? (typeof declared === 'function' ? { dto: () => declared } : declared && free);
  if (!part) return undefined;
  return { schema: components.write(part), example: description?.example ?? exampleOf(part) };
}

function answers(route: ControllerRoute, described: readonly DescribedAnswer[], components: Components): Json {
  const handler = route.controller.prototype[route.methodName] as object;
  const status =
    (Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ??
    (route.method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK);
  const all = described.length > 0 ? described : [{ status, description: 'Done' }];
  return Object.fromEntries(all.map((each): [string, Json] => [String(each.status), answer(each, components)]));
}

function answer(described: DescribedAnswer, components: Components): Json {
  const { body, description, list, example, mediaTypes } = described;
  if (body === undefined && mediaTypes) {
    const text = { schema: { type: 'string' } };
    return { description, content: Object.fromEntries(mediaTypes.map((type) => [type, text])) };
  }
  if (body === undefined) return { description };
  const part: SchemaPart = typeof body === 'function' ? { dto: body } : body;
  const item = components.write(part);
  const shown = example ?? exampleOf(part);
  const content = Object.fromEntries(
    (mediaTypes ?? ['application/json']).map((type) => [type, { schema: item, example: shown }]),
  );
  if (!list) return { description, content };
  // Not `allOf` with the envelope: its `additionalProperties: false` would refuse `data`.
  const { properties, required = [], ...rest } = schemaOf(ListEnvelope) as JsonSchema;
  const envelope = components.write({ ...rest, properties, required: ['data', ...required] });
  const schema = {
    ...envelope,
    properties: { data: { type: 'array', items: item }, ...(envelope.properties as Json) },
  };
  const page = { data: [shown], page: 1, size: 25, total: 1, totalIsExact: true, hasMore: false, nextCursor: null };
  return { description, content: { 'application/json': { schema, example: page } } };
}
