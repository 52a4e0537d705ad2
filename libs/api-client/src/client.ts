import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../dist/api.js';
import { noAnswer, problemOf } from './problem/api-problem.js';

export type ApiClient = Client<paths>;

/** Where the calls get their token from. It is kept in memory only: no storage, no address, no cookie. */
export interface TokenSource {
  /** The token for the next call; waits for the first one. Rejects when there is none to be had. */
  current(): Promise<string>;
  /**
   * The token that replaces one that the API refused. Calls that are refused at the same time wait for the same one.
   * Rejects when there is none to be had.
   */
  replacementFor(refused: string): Promise<string>;
}

export interface ClientOptions {
  /** Origin of the API. */
  readonly baseUrl: string;
  /** Without them calls are made by nobody. */
  readonly tokens?: TokenSource;
}

/**
 * Calls the API with the caller's token. A call that is refused because its token has just ended is made once more with the
 * next one; whatever else is refused becomes an {@link ApiProblem}.
 */
export function createApiClient({ baseUrl, tokens }: ClientOptions): ApiClient {
  const client = createClient<paths>({
    baseUrl,
    // No cookies, unless a call says so: the token is all that it is authorised by.
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    fetch: (request) => callWithToken(request, tokens),
  });
  client.use(refusalsAsProblems);
  return client;
}

async function callWithToken(request: Request, tokens: TokenSource | undefined): Promise<Response> {
  const send = (token?: string): Promise<Response> => {
    // A body can be read once.
    const attempt = request.clone();
    if (token !== undefined) attempt.headers.set('authorization', `Bearer ${token}`);
    return fetch(attempt).catch((cause: unknown) => {
      if (request.signal.aborted) throw cause;
      return noAnswer(cause);
    });
  };
  if (!tokens) return send();
  const token = await tokens.current();
  const response = await send(token);
  return (await isOfToken(response)) ? send(await tokens.replacementFor(token)) : response;
}

/** Also a password or a code that was typed in is refused with 401, and must not be tried twice. */
const isOfToken = async (response: Response): Promise<boolean> =>
  response.status === 401 && (await problemOf(response.clone())).code !== 'INVALID_CREDENTIALS';

const refusalsAsProblems: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
};
