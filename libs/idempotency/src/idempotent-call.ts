import type { Principal } from '@crm/context';

/** A creating call that is to take effect once. Tenant, principal, route and key make two calls the same call. */
export interface IdempotentCall {
  readonly tenantId: string;
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
  /** A JSON value. Only its hash is kept; what must not be guessed from a hash is not part of it. */
  readonly body: unknown;
  /** Hours for which a repetition is recognised. */
  readonly keptHours: number;
}

/** Hours for which an `Idempotency-Key` header is remembered. */
const HEADER_KEPT_HOURS = 24;

/**
 * The call of an HTTP request.
 * @param route method and path, as in `POST /api/crm/leads`, with what the path names in its place
 * @param key what `@IdempotencyKey()` gives
 * @returns nothing when no key was sent
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

/** Hours for which the key of a workflow's step is remembered: longer than a run is tried. */
const STEP_KEPT_HOURS = 7 * 24;

/**
 * The call of a workflow's step, made by another service in the name of the workflow's author or app.
 * @param route subject of the call, with what it names in its request besides the values
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

/** A user whom an app embeds is another principal than the same user signed in. */
function principalId({ userId, appKey }: Pick<Principal, 'userId' | 'appKey'>): string {
  return appKey === undefined ? userId : `${userId} ${appKey}`;
}
