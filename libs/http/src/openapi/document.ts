import { isEdge } from '@crm/contracts';
import { HttpStatus, type INestApplicationContext } from '@nestjs/common';
import { HTTP_CODE_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type DtoClass, isDtoPart, type JsonSchema, type SchemaPart, schemaOf } from '../dto/schema.js';
import type { HttpConfig } from '../http-config.js';
import { PROBLEM_TYPE } from '../problem/problem.js';
import { type ControllerRoute, controllerRoutes } from '../route/list-routes.js';
import { type DescribedAnswer, ROUTE_DESCRIPTION, type RouteDescription } from './describe.decorator.js';
import { ListEnvelope, ProblemDocument } from './shared-schemas.js';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of a service. Schemas are those that the DTO decorators declare and validation uses; nothing is
 * written twice.
 */
export function openApiDocument(app: INestApplicationContext, config: Pick<HttpConfig, 'name' | 'baseUrl'>): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const route of controllerRoutes(app)) {
    const handler = route.controller.prototype[route.methodName] as object;
    const description = Reflect.getMetadata(ROUTE_DESCRIPTION, handler) as RouteDescription | undefined;
    if (description?.hidden) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, description, components) };
  }
  return {
    openapi: '3.1.1',
    info: { title: `CRM developer platform: ${config.name}`, version: '0.1.0', license: { name: 'Apache-2.0' } },
    // An edge answers at the address where the document was read (a relative URL is meant so); the rest has the gateway's.
    servers: [{ url: isEdge(config.name) ? '/' : config.baseUrl }],
    paths,
    components: {
      schemas: components.all(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function operation(route: ControllerRoute, description: RouteDescription | undefined, components: Components): Json {
  const { body: declared, parameters } = inputs(route, components);
  const body = description?.body ? components.write(description.body) : declared;
  return {
    operationId: `${route.controller.name.replace(/Controller$/, '')}_${route.methodName}`,
    tags: [tagOf(route)],
    ...(description && { summary: description.summary }),
    ...(description?.description && { description: description.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: responses(route, description?.answers ?? [], components),
    security: route.public ? [] : [{ bearer: [] }],
    ...(route.access && { 'x-access': route.access }),
  };
}

/** Headers that are part of a call's contract, by the name that the decorators of parameters give. */
const REQUEST_HEADERS: Readonly<Record<string, Json>> = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: 'Makes a repetition of the call within 24 hours answer with what the first one created',
  },
  'if-match': {
    name: 'If-Match',
    description: 'ETag of the version that the change is meant for; 412 VERSION_MISMATCH when there is another by now',
  },
  'x-embed-key': { name: 'X-Embed-Key', required: true, description: 'Client id of the embedding app' },
  'x-embed-secret': {
    name: 'X-Embed-Secret',
    required: true,
    description: 'Its secret; only the backend of the host sends it',
  },
};

/** The noun: `LeadController` → `lead`. */
const tagOf = (route: ControllerRoute): string =>
  route.controller.name
    .replace(/Controller$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();

function inputs(route: ControllerRoute, components: Components): { body?: Json; parameters: Json[] } {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, route.controller, route.methodName) ?? {}) as Record<
    string,
    { index: number; data?: unknown; pipes?: unknown[] }
  >;
  const types = (Reflect.getMetadata('design:paramtypes', route.controller.prototype, route.methodName) ??
    []) as unknown[];
  const parameters = [...route.path.matchAll(/:(\w+)/g)].map(
    ([, name]): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } }),
  );
  let body: Json | undefined;
  for (const [key, { index, data }] of Object.entries(args)) {
    const kind = Number(key.split(':', 1)[0]);
    const header = REQUEST_HEADERS[String(data)];
    if (header) parameters.push({ required: false, ...header, in: 'header', schema: { type: 'string' } });
    if (data !== undefined) continue;
    if (kind === RouteParamtypes.BODY)
      body = schemaOf(types[index]) ? components.ref(types[index] as DtoClass) : { type: 'object' };
    if (kind === RouteParamtypes.QUERY) parameters.push(...queryParameters(types[index], components));
  }
  return { ...(body && { body }), parameters };
}

function queryParameters(type: unknown, components: Components): Json[] {
  const schema = schemaOf(type);
  return Object.entries(schema?.properties ?? {}).map(([name, part]) => {
    const { description, ...rest } = components.write(part);
    return {
      name,
      in: 'query',
      required: schema?.required?.includes(name) ?? false,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function responses(route: ControllerRoute, described: readonly DescribedAnswer[], components: Components): Json {
  const handler = route.controller.prototype[route.methodName] as object;
  const status =
    (Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ??
    (route.method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK);
  const answers = described.length > 0 ? described : [{ status, description: 'Done' }];
  const written = answers.map((answer): [string, Json] => [String(answer.status), response(answer, components)]);
  const problem = {
    description: 'A problem',
    content: { [PROBLEM_TYPE]: { schema: components.ref(ProblemDocument) } },
  };
  return { ...Object.fromEntries(written), default: problem };
}

function response(answer: DescribedAnswer, components: Components): Json {
  const { body, description } = answer;
  if (body === undefined) return { description };
  const item = typeof body === 'function' ? components.ref(body()) : components.write(body);
  const schema = answer.list
    ? {
        allOf: [components.ref(ListEnvelope), { type: 'object', properties: { data: { type: 'array', items: item } } }],
      }
    : item;
  return { description, content: { 'application/json': { schema } } };
}

/** Collects the DTO classes that a document refers to. */
class Components {
  private readonly written = new Map<string, Json>();

  ref(dto: DtoClass): Json {
    const { name } = dto;
    if (!this.written.has(name)) {
      // Noted before it is written, so that a class may refer to itself.
      this.written.set(name, {});
      this.written.set(name, this.write(schemaOf(dto) ?? { type: 'object' }));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  write(part: SchemaPart): Json {
    if (isDtoPart(part)) {
      const reference = this.ref(part.dto());
      const schema = part.nullable ? { anyOf: [reference, { type: 'null' }] } : reference;
      return part.description === undefined ? schema : { ...schema, description: part.description };
    }
    const { properties, items, ...rest }: JsonSchema = part;
    return {
      ...rest,
      ...(items && { items: this.write(items) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, this.write(member)])),
      }),
    };
  }

  all(): Json {
    return Object.fromEntries([...this.written].sort(([left], [right]) => left.localeCompare(right)));
  }
}
