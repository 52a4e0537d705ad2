import { ERRORS, type ErrorCode } from '@crm/contracts';
import { PROBLEM_TYPE } from '../problem/problem.js';
import type { ControllerRoute } from '../route/list-routes.js';
import { isNotRepeatable } from '../route/not-repeatable.decorator.js';
import { takesApiKeys } from './access-text.js';
import type { Components, Json } from './components.js';
import { ProblemDocument } from './shared-schemas.js';

/** The inputs of a route, as far as they determine its possible errors. */
export interface RouteInputs {
  readonly body: boolean;
  /** The body is a form: the route follows another standard and describes its refusals of requests itself. */
  readonly form: boolean;
  readonly query: boolean;
  readonly pathParameters: boolean;
  /** Header fields that parameters of the route read, in lower case. */
  readonly headers: readonly string[];
}

/** Codes that follow from the decorators of a route, in addition to those it declares itself. */
export function impliedRefusals(route: ControllerRoute, inputs: RouteInputs): ErrorCode[] {
  const { access } = route;
  const refusesEmbed = access && !(access.embed ?? access.scope !== undefined);
  const takesKeys = takesApiKeys(access);
  return [
    ...(route.public ? [] : (['UNAUTHENTICATED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'FORBIDDEN'] as const)),
    ...(access?.scope ? (['INSUFFICIENT_SCOPE'] as const) : []),
    ...(refusesEmbed ? (['EMBED_TOKEN_REFUSED'] as const) : []),
    ...(takesKeys ? (['INVALID_API_KEY'] as const) : []),
    ...(access && !takesKeys ? (['API_KEY_REFUSED'] as const) : []),
    ...(inputs.query ? (['INVALID_QUERY'] as const) : []),
    ...(inputs.pathParameters ? (['NOT_FOUND'] as const) : []),
    ...(inputs.body && !inputs.form
      ? (['MALFORMED_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED'] as const)
      : []),
    ...(isNotRepeatable(route.controller.prototype[route.methodName]) && !inputs.form
      ? (['MALFORMED_REQUEST'] as const)
      : []),
    ...(inputs.headers.includes('if-match') ? (['MALFORMED_REQUEST', 'VERSION_MISMATCH'] as const) : []),
    ...(inputs.headers.includes('idempotency-key')
      ? (['MALFORMED_REQUEST', 'IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const)
      : []),
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
  ];
}

/** The error responses of an operation by status, each with its codes as examples. */
export function refusalResponses(codes: readonly ErrorCode[], components: Components): Json {
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
