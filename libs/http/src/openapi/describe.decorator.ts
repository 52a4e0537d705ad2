import type { ErrorCode } from '@crm/contracts';
import { SetMetadata } from '@nestjs/common';
import type { DtoClass, JsonSchema, SchemaPart } from '../dto/schema.js';

/** One successful answer of a route, for its documentation. */
export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  /** The body: a DTO class, a schema, or absent for none. `list` wraps it in the list envelope. */
  readonly body?: (() => DtoClass) | JsonSchema;
  readonly list?: boolean;
  /** Of a body that is not JSON, such as an export; without a body it is text. */
  readonly mediaTypes?: readonly string[];
  /** An example of the body (of one item with `list`); made from the examples of its fields when left out. */
  readonly example?: unknown;
}

/** A header field of a request, for its documentation. */
export interface HeaderDescription {
  /** As it is shown: `X-Embed-Key`. */
  readonly name: string;
  readonly description: string;
  /** Default false. */
  readonly required?: boolean;
}

export interface RouteDescription {
  /** One line. */
  readonly summary: string;
  /** What the summary leaves open, in Markdown. Who may call the route is added from `@Access`. */
  readonly description?: string;
  /** The body of the request, where no parameter of the handler declares it: a schema, or `{ dto: () => SignInInput }`. */
  readonly body?: SchemaPart;
  /** Header fields that a guard reads and no parameter of the handler; the strategy of the guard describes them. */
  readonly headers?: readonly HeaderDescription[];
  /** An example of the request's body; made from the examples of its fields when left out. */
  readonly example?: unknown;
  readonly answers?: readonly DescribedAnswer[];
  /**
   * Error codes of the route, besides those that follow from its decorators: a route with a token has 401 and 403, one
   * with a body 400, 413, 415 and 422, one with a query 400, one with an id 404, and so on.
   */
  readonly errors?: readonly ErrorCode[];
  /** Goes on as it is for clients that have it; the description says what takes its place. */
  readonly deprecated?: boolean;
  /** Left out of the document, e.g. a page for browsers. */
  readonly hidden?: boolean;
}

export const ROUTE_DESCRIPTION = 'crm:route-description';

/** What the OpenAPI document says about a route: `@Describe({ summary: 'Signs in', answers: [{ status: 200, … }] })`. */
export const Describe = (description: RouteDescription): MethodDecorator => SetMetadata(ROUTE_DESCRIPTION, description);

/** The group of operations that a controller's routes belong to. */
export interface ApiGroupDescription {
  /** In the plural, as a heading: `Leads`. Controllers with the same name share the group. */
  readonly name: string;
  /** What the resource is and what its calls are for, in Markdown. */
  readonly description: string;
}

export const API_GROUP = 'crm:api-group';

/** Names and describes the tag of a controller's operations in the OpenAPI document. */
export const ApiGroup = (group: ApiGroupDescription): ClassDecorator => SetMetadata(API_GROUP, group);
