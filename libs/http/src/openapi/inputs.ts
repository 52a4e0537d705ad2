import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  type DtoClass,
  isDtoPart,
  type JsonSchema,
  type SchemaPart,
  type StringFormat,
  schemaOf,
} from '../dto/schema.js';
import type { ControllerRoute } from '../route/list-routes.js';
import { IdPipe } from '../route/route.decorators.js';
import type { Components, Json } from './components.js';
import type { HeaderDescription } from './describe.decorator.js';

const BY_FORMAT: Readonly<Record<StringFormat, string>> = {
  email: 'ada@example.com',
  uuid: '0199c0de-0000-7000-8000-000000000001',
  date: '2026-11-22',
  'date-time': '2026-11-22T09:30:00.000Z',
  uri: 'https://example.com/',
};

/** How deep classes that contain themselves are followed. */
const MAX_DEPTH = 4;

/** A field's example, else its default, else the plainest value. A text with a pattern needs an example of its own. */
export function exampleOf(part: SchemaPart, depth = 0): unknown {
  const schema = isDtoPart(part) ? schemaOf(part.dto()) : part;
  if (!schema) return {};
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? 'object'].flat();
  switch (type) {
    case 'string':
      return schema.format
        ? BY_FORMAT[schema.format]
        : 'text'.padEnd(schema.minLength ?? 0, ' text').slice(0, schema.maxLength);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'boolean':
      return true;
    case 'array':
      return schema.items && depth < MAX_DEPTH ? [exampleOf(schema.items, depth + 1)] : [];
    case 'null':
      return null;
    default:
      return exampleOfObject(schema, depth);
  }
}

function exampleOfObject({ properties = {}, required = [] }: JsonSchema, depth: number): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, depth + 1)]));
}

/** Headers of every service's contract, by the name that the decorators of parameters give. */
const REQUEST_HEADERS: ReadonlyMap<string, HeaderDescription> = new Map([
  [
    'idempotency-key',
    {
      name: 'Idempotency-Key',
      description: 'Repeating the call with the same key within 24 hours returns the first result',
    },
  ],
  [
    'if-match',
    {
      name: 'If-Match',
      description: 'ETag of the version to change; returns 412 if the current version is different',
    },
  ],
]);

interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
}

export interface HandlerInputs {
  /** The DTO class of the body, `object` for a free one; absent when the handler takes none. */
  readonly body?: DtoClass | 'object';
  readonly parameters: readonly Json[];
  readonly hasQuery: boolean;
  /** Names of the header fields that parameters read, in lower case. */
  readonly headers: readonly string[];
}

/** @param guardHeaders header fields that guards of the route read; they precede those of the parameters */
export function inputsOf(
  route: ControllerRoute,
  guardHeaders: readonly HeaderDescription[],
  components: Components,
): HandlerInputs {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, route.controller, route.methodName) ?? {}) as Record<
    string,
    RouteArgument
  >;
  const types = (Reflect.getMetadata('design:paramtypes', route.controller.prototype, route.methodName) ??
    []) as unknown[];
  const taken = Object.entries(args).map(([key, argument]) => ({
    ...argument,
    kind: Number(key.split(':', 1)[0]),
    type: types[argument.index],
  }));
  const ownHeaders = taken.flatMap(({ data }) => REQUEST_HEADERS.get(String(data)) ?? []);
  const headers = [...guardHeaders, ...ownHeaders];
  const body = taken.find(({ kind, data }) => kind === RouteParamtypes.BODY && data === undefined);
  const queries = taken.filter(({ kind, data }) => kind === RouteParamtypes.QUERY && data === undefined);
  const ids = new Set(
    taken.filter(({ pipes }) => pipes?.some((pipe) => pipe instanceof IdPipe)).map(({ data }) => data),
  );
  return {
    ...(body && { body: schemaOf(body.type) ? (body.type as DtoClass) : 'object' }),
    parameters: [
      ...pathParameters(route.path, ids),
      ...headers.map((header) => ({ required: false, ...header, in: 'header', schema: { type: 'string' } })),
      ...queries.flatMap(({ type }) => queryParameters(type, components)),
    ],
    hasQuery: queries.length > 0,
    headers: ownHeaders.map(({ name }) => name.toLowerCase()),
  };
}

function pathParameters(path: string, ids: ReadonlySet<unknown>): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(ids.has(name) && { format: 'uuid' }) },
  }));
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
