/**
 * How long a token has been given, in milliseconds from now. Counted from its own times and not from this machine's clock,
 * which may be wrong by hours, unless the clock says that less is left: a host may hand on a token that it has had for a while.
 * @param token a JWT; its signature is the API's business
 * @returns undefined when it names no times
 */
export function tokenLifetimeMs(token: string, now: number): number | undefined {
  const claims = claimsOf(token);
  const { iat, exp } = claims ?? {};
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp <= iat) return undefined;
  const whole = (exp - iat) * 1000;
  const left = exp * 1000 - now;
  // A clock that is ahead by more than the token lives says nothing.
  return left > 0 && left < whole ? left : whole;
}

/**
 * Whose token it is: workspace and user. One that names nobody is nobody else's either.
 * @param token a JWT; its signature is the API's business
 */
export function tokenHolder(token: string): string {
  const { tid, sub } = claimsOf(token) ?? {};
  return typeof tid === 'string' && typeof sub === 'string' ? `${tid}/${sub}` : token;
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const parsed: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch (error) {
    // Not a JWT. The API refuses it, and says so.
    if (error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
}
