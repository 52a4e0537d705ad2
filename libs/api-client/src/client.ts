import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../dist/api.js';
import { parsedJson } from './json.js';
import { ApiProblem, problemOf } from './problem/api-problem.js';
import type { TokenSource } from './token/token-source.js';

export type ApiClient = Client<paths>;

export interface ClientOptions {
  /** Origin of the API. */
  readonly baseUrl: string;
  readonly tokens: TokenSource;
  /** Replaces the browser's, in tests. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Calls the API with the caller's token. A call that is refused because its token has just ended is made once more with the
 * next one; whatever else is refused becomes an {@link ApiProblem}.
 */
export function createApiClient({
  baseUrl,
  tokens,
  fetch = (request) => globalThis.fetch(request),
}: ClientOptions): ApiClient {
  const client = createClient<paths>({
    baseUrl,
    // No cookies: the token is all that a call is authorised by.
    credentials: 'omit',
    cache: 'no-store',
    fetch: (request) => callWithToken(request, tokens, fetch),
  });
  client.use(refusalsAsProblems);
  return client;
}

async function callWithToken(
  request: Request,
  tokens: TokenSource,
  fetch: (request: Request) => Promise<Response>,
): Promise<Response> {
  const send = (token: string): Promise<Response> => {
    // A body can be read once.
    const attempt = request.clone();
    attempt.headers.set('authorization', `Bearer ${token}`);
    return fetch(attempt).catch((cause: unknown) => {
      if (request.signal.aborted) throw cause;
      throw new ApiProblem('OFFLINE', 0, 'There was no answer', [], undefined, undefined, { cause });
    });
  };
  const token = await tokens.current();
  const response = await send(token);
  return (await isOfToken(response)) ? send(await tokens.replacementFor(token)) : response;
}

/** Also a password or a code that was typed in is refused with 401, and must not be tried twice. */
async function isOfToken(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const { code } = (parsedJson(await response.clone().text()) ?? {}) as { readonly code?: unknown };
  return code !== 'INVALID_CREDENTIALS';
}

const refusalsAsProblems: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return undefined;
    const text = await response.text();
    throw problemOf(response, parsedJson(text));
  },
};
