import type { AccessRule } from '@crm/access';
import {
  type ErrorCode,
  OPERATOR_ROLES,
  operatorRolesAllow,
  type Right,
  rolesAllow,
  TENANT_ROLES,
} from '@crm/contracts';
import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { DtoClass, JsonSchema, SchemaPart } from '../dto/schema.js';
import type { ControllerRoute } from '../route/list-routes.js';

export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  /** The body: a DTO class, a schema, or absent for none. `list` wraps it in the list envelope. */
  readonly body?: (() => DtoClass) | JsonSchema;
  readonly list?: boolean;
  /** For a body that is not JSON, such as an export; without a body it is text. */
  readonly mediaTypes?: readonly string[];
  /** An example of the body (of one item with `list`); made from the examples of its fields when left out. */
  readonly example?: unknown;
}

export interface HeaderDescription {
  /** The shown spelling: `X-Embed-Key`. */
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
}

export interface RouteDescription {
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
  /** Besides those that follow from the decorators: 401 and 403 for a token, 400, 413, 415 and 422 for a body, and so on. */
  readonly errors?: readonly ErrorCode[];
  /** Goes on as it is for clients that have it; the description says what takes its place. */
  readonly deprecated?: boolean;
  /** Left out of the document, e.g. a page for browsers. */
  readonly hidden?: boolean;
}

export const ROUTE_DESCRIPTION = 'crm:route-description';

/**
 * What the OpenAPI document says about a route: `@Describe({ summary: 'Signs in', answers: [{ status: 200, … }] })`. The first
 * answer's status, when it is none of an error, is also the one that the route answers with unless its handler sets another.
 */
export function Describe(description: RouteDescription): MethodDecorator {
  const status = description.answers?.[0]?.status;
  const described = SetMetadata(ROUTE_DESCRIPTION, description);
  return status !== undefined && status < 400 ? applyDecorators(described, HttpCode(status)) : described;
}

export interface ApiGroupDescription {
  /** In the plural, as a heading: `Leads`. Controllers with the same name share the group. */
  readonly name: string;
  /** What the resource is and what its calls are for, in Markdown. */
  readonly description: string;
}

export const API_GROUP = 'crm:api-group';

/** Names and describes the tag of a controller's operations in the OpenAPI document. */
export const ApiGroup = (group: ApiGroupDescription): ClassDecorator => SetMetadata(API_GROUP, group);

export const takesApiKeys = (access: AccessRule | undefined): boolean =>
  access !== undefined && (access.key ?? access.scope !== undefined);

/** An app never administers, whatever its scopes. */
const takesApps = ({ app, scope, right }: AccessRule): boolean =>
  (app ?? scope !== undefined) && (right === 'read' || right === 'write');

export type Caller = 'users' | 'operators';

/** Who may call a route, as sentences made from its access rule. */
export function accessText({ access, public: isPublic }: ControllerRoute, caller: Caller): string | undefined {
  if (isPublic) return 'No authentication required.';
  if (!access) return undefined;
  const exempt = takesApiKeys(access) ? ', except with an API key' : '';
  const proof = `Requires authentication within the last 10 minutes${exempt}.`;
  const ofPerson = 'A person with two-step verification in one of their workspaces has to call it as that user.';
  return [
    callersText(access, caller),
    ...(access.proof ? [proof] : []),
    ...(access.person === 'proof' ? [ofPerson] : []),
  ].join(' ');
}

function callersText(access: AccessRule, caller: Caller): string {
  if (caller === 'operators') return `Operator roles: ${operatorRoles(access.right).join(', ')}.`;
  const { right, scope } = access;
  const roles = TENANT_ROLES.filter((role) => rolesAllow([role], right)).map((role) => `\`${role}\``);
  const others = [
    ...(takesApps(access) ? ['apps'] : []),
    ...((access.embed ?? scope !== undefined) ? ['embedded users'] : []),
    ...(takesApiKeys(access) ? ['API keys'] : []),
  ];
  const users = `Roles: ${roles.join(', ')}.`;
  if (others.length === 0) return `${users} Users only.`;
  const needed = scope && `, with the scope \`${right === 'read' ? `${scope}:read` : scope}\``;
  return `${users} Also: ${others.join(', ')}${needed ?? ''}.`;
}

const operatorRoles = (right: Right): string[] =>
  OPERATOR_ROLES.filter((role) => operatorRolesAllow([role], right)).map((role) => `\`${role}\``);
