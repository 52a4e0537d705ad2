import { coversScope, isScope, PlatformError, type Scope } from '@crm/contracts';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { OAuthError } from './oauth-error.js';

/** Longest value of a parameter, in characters. */
const MAX_VALUE = 4096;
/** RFC 6749, appendix A: the values of all parameters that are read here are printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** The parameters of a request. Unknown ones are ignored, and one without a value counts as absent (RFC 6749, section 3.1). */
export class Parameters {
  private constructor(private readonly values: URLSearchParams) {}

  /** @param body as the parser of forms leaves it @throws OAuthError invalid_request when it is not a form */
  static ofForm(body: unknown): Parameters {
    if (typeof body === 'string') return new Parameters(new URLSearchParams(body));
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded');
  }

  /** @param url with a query string or without one */
  static ofUrl(url: string): Parameters {
    const start = url.indexOf('?');
    return new Parameters(new URLSearchParams(start < 0 ? '' : url.slice(start + 1)));
  }

  /** @throws OAuthError invalid_request for a parameter that is given twice, is very long or has characters of other alphabets */
  find(name: string): string | undefined {
    const [value, ...more] = this.values.getAll(name);
    if (more.length > 0) throw new OAuthError('invalid_request', `${name}: send it only once`);
    if (value === undefined || value === '') return undefined;
    if (value.length > MAX_VALUE) throw new OAuthError('invalid_request', `${name}: too long`);
    if (!PRINTABLE.test(value)) {
      throw new OAuthError('invalid_request', `${name}: contains a character that isn't allowed`);
    }
    return value;
  }

  /** @throws OAuthError invalid_request also for a parameter that is missing */
  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`);
    return value;
  }
}

/** How a client says who it is. A public client, which is an app that acts for users, has no secret. */
export interface PresentedClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** A call to the token endpoint or a neighbour. */
export interface ClientCall {
  /** `Authorization` */
  readonly header: string | undefined;
  readonly parameters: Parameters;
  /** Where the call comes from. */
  readonly origin: RequestOrigin;
}

/**
 * The client of a call to the token endpoint and its neighbours, not yet checked: by HTTP Basic (`client_secret_basic`), in the
 * body (`client_secret_post`), or by its id alone (`none`).
 * @throws OAuthError invalid_client, invalid_request when two ways are used at once
 */
export function presentedClient(header: string | undefined, parameters: Parameters): PresentedClient {
  const inBody = { clientId: parameters.find('client_id'), clientSecret: parameters.find('client_secret') };
  if (header === undefined) {
    if (inBody.clientId === undefined) throw new OAuthError('invalid_client', 'client_id is missing');
    return { clientId: inBody.clientId, clientSecret: inBody.clientSecret ?? null };
  }
  const basic = parseBasic(header);
  if (!basic) throw new OAuthError('invalid_client', 'Authenticate with HTTP Basic or in the body');
  if (inBody.clientSecret !== undefined) {
    throw new OAuthError('invalid_request', 'Authenticate in the header or in the body, not both');
  }
  if (inBody.clientId !== undefined && inBody.clientId !== basic.clientId) {
    throw new OAuthError('invalid_request', 'The header and the body name different clients');
  }
  return basic;
}

/** RFC 6749, section 2.3.1: both parts are encoded as in a form before they are joined. */
function parseBasic(header: string): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  const parts = colon < 0 ? undefined : [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))];
  const [clientId, clientSecret] = parts ?? [];
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/** Undefined for what is not printable ASCII, which no id and no secret has. */
function decodeForm(text: string): string | undefined {
  const decoded = new URLSearchParams(`part=${text.replaceAll('&', '%26')}`).get('part') ?? '';
  return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
}

/** The `scope` parameter (RFC 6749, 3.3); undefined when there is none. @throws OAuthError invalid_scope */
export function parseScopes(text: string | undefined): Scope[] | undefined {
  const names = text?.split(' ').filter((name) => name !== '');
  if (!names?.length) return undefined;
  if (!names.every(isScope)) throw new OAuthError('invalid_scope', 'Unknown scope');
  return [...new Set(names)];
}

/** What of the wanted scopes is granted; with nothing wanted, everything. A full scope of which only reading is granted reads. */
export function intersectScopes(wanted: readonly string[] | null, granted: readonly string[]): string[] {
  if (wanted === null) return [...granted];
  const both = wanted.flatMap((scope) => {
    if (!isScope(scope)) return [];
    if (coversScope(granted, scope)) return [scope];
    const reading = `${scope.replace(/:read$/, '')}:read` as Scope;
    return coversScope(granted, reading) ? [reading] : [];
  });
  return [...new Set(both)];
}

/** Those that are asked for, or all that are granted. @throws OAuthError invalid_scope for one not granted, or none */
export function scopesOfToken(wanted: readonly Scope[] | undefined, granted: readonly string[]): string[] {
  if (wanted?.some((scope) => !coversScope(granted, scope))) {
    throw new OAuthError('invalid_scope', "A requested scope wasn't granted");
  }
  const scopes = wanted ?? granted;
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'No requested scope was granted');
  return [...scopes];
}

/** Those of some scopes that cannot be left out: a required full scope keeps its `:read` too. */
export const requiredOf = (scopes: readonly string[], required: readonly string[]): string[] =>
  scopes.filter((scope) => coversScope(required, scope as Scope));

/**
 * What a user gives an app of the scopes that there are to give, in their order.
 * @param chosen what the user gives, at least one
 * @throws PlatformError SCOPE_NOT_OFFERED, SCOPE_REQUIRED, with a pointer to each wrong choice
 */
export function chooseScopes(
  offered: readonly string[],
  required: readonly string[],
  chosen: readonly string[],
): string[] {
  const unknown = chosen.flatMap((scope, index) =>
    offered.includes(scope)
      ? []
      : [{ pointer: `/scopes/${index}`, code: 'SCOPE_NOT_OFFERED', detail: "This scope isn't available here" }],
  );
  if (unknown.length > 0) throw new PlatformError('SCOPE_NOT_OFFERED', undefined, { errors: unknown });
  const missing = requiredOf(offered, required).filter((scope) => !chosen.includes(scope));
  if (missing.length > 0) {
    throw new PlatformError('SCOPE_REQUIRED', `Grant the required scopes: ${missing.join(', ')}`, {
      errors: missing.map((scope) => ({ pointer: '/scopes', code: 'SCOPE_REQUIRED', detail: `${scope} is missing` })),
    });
  }
  return offered.filter((scope) => chosen.includes(scope));
}

const WINDOW_SECONDS = 15 * 60;
/** Failures of one client from one address: a deployment with an old secret, started again and again, stays below. */
export const FAILURES_PER_CLIENT = 30;
/** Failures from one address with whatever clients. */
export const FAILURES_PER_ADDRESS = 100;
/** Characters of a presented id that count; the caller decides how long it is. */
const KEY_LENGTH = 64;

/**
 * Counts wrong secrets per client and address and per address. Nobody can guess 256 bits; what is bounded is the work that trying
 * causes. Right ones cost nothing and are never delayed by each other.
 */
@Injectable()
export class GuessLimit {
  private readonly limits: LimitGroup;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many failed attempts. Try again later');
    this.limits = new LimitGroup([
      limiter('oauth-client', FAILURES_PER_CLIENT),
      limiter('oauth-address', FAILURES_PER_ADDRESS),
    ]);
  }

  /** @throws PlatformError RATE_LIMITED before any work, or what the attempt rejects with */
  async attempt<T>(clientId: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const keys = [`${clientId.slice(0, KEY_LENGTH)}|${from}`, from];
    await this.limits.refuseExhausted(...keys);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_client') await this.limits.penalise(...keys);
      throw error;
    }
  }
}
