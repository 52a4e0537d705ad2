import { SetMetadata } from '@nestjs/common';
import type { DtoClass, JsonSchema } from '../dto/schema.js';

/** One answer of a route, for its documentation. */
export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  /** The body: a DTO class, a schema, or absent for none. `list` wraps it in the list envelope. */
  readonly body?: (() => DtoClass) | JsonSchema;
  readonly list?: boolean;
}

export interface RouteDescription {
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  /** The body of the request, where no DTO class describes it. */
  readonly body?: JsonSchema;
  readonly answers?: readonly DescribedAnswer[];
  /** Left out of the document, e.g. a page for browsers. */
  readonly hidden?: boolean;
}

export const ROUTE_DESCRIPTION = 'crm:route-description';

/** What the OpenAPI document says about a route: `@Describe({ summary: 'Signs in', answers: [{ status: 200, … }] })`. */
export const Describe = (description: RouteDescription): MethodDecorator => SetMetadata(ROUTE_DESCRIPTION, description);
