import type { Principal } from '@crm/access';

/** A creating call that must take effect once. Two calls are the same call when tenant, principal, route and key are equal. */
export interface IdempotentCall {
  readonly tenantId: string;
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
  /** A JSON value without anything that could be guessed from its hash, which is all that is stored. */
  readonly body: unknown;
  /** How long a repetition is recognised, in hours. */
  readonly keptHours: number;
}

/** How long an `Idempotency-Key` header is remembered, in hours. */
const HEADER_KEPT_HOURS = 24;

/**
 * The call of an HTTP request.
 * @param route method and path with actual ids, such as `POST /api/crm/leads`
 * @param key the value of `@IdempotencyKey()`
 * @returns undefined when no key was sent
 */
export function headerCall(
  principal: Pick<Principal, 'tenantId' | 'userId' | 'appKey'>,
  route: string,
  key: string | undefined,
  body: unknown,
): IdempotentCall | undefined {
  if (key === undefined) return undefined;
  const { tenantId } = principal;
  return { tenantId, principalId: principalId(principal), route, key, body, keptHours: HEADER_KEPT_HOURS };
}

/** How long the key of a workflow step is remembered, in hours: longer than a run is retried. */
const STEP_KEPT_HOURS = 7 * 24;

/**
 * The call of a workflow step, made by another service on behalf of the workflow's author or app.
 * @param route subject of the call, with the ids and names in its request
 * @param key the same for every attempt of the step
 */
export function stepCall(
  principal: Pick<Principal, 'tenantId' | 'userId' | 'appKey'>,
  route: string,
  key: string,
  body: unknown,
): IdempotentCall {
  const { tenantId } = principal;
  return { tenantId, principalId: principalId(principal), route, key, body, keptHours: STEP_KEPT_HOURS };
}

/** An embedded user and the same user signed in are different principals. */
function principalId({ userId, appKey }: Pick<Principal, 'userId' | 'appKey'>): string {
  return appKey === undefined ? userId : `${userId} ${appKey}`;
}
