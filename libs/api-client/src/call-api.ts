import { parsedJson } from './json.js';
import { ApiProblem, problemOf } from './problem/api-problem.js';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query, of the page's own origin. */
  readonly path: string;
  readonly body?: object;
  /** Without one the call is made by nobody. */
  readonly token?: string;
  /** Whether cookies of the API are sent and taken: only where a step of a sign-in is tied to the browser. */
  readonly withCookies?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it goes on when the page is left. */
  readonly outlivesPage?: boolean;
}

/**
 * One call of the API that serves the page, for pages that act before anybody is signed in. Without a cache, a referrer and,
 * unless it is said, cookies.
 * @returns the JSON of the answer, undefined when it has none
 * @throws ApiProblem for a refusal, and when there is no answer
 */
export async function callApi<Answer>(call: ApiCall): Promise<Answer> {
  return (await callApiForHeaders<Answer>(call)).answer;
}

/** The same, for calls whose answer says something in its headers. */
export async function callApiForHeaders<Answer>({
  method,
  path,
  body,
  token,
  withCookies,
  headers,
  outlivesPage,
}: ApiCall): Promise<{ readonly answer: Answer; readonly headers: Headers }> {
  const response = await fetch(path, {
    method,
    credentials: withCookies ? 'same-origin' : 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    keepalive: outlivesPage === true,
    headers: {
      ...headers,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new ApiProblem('OFFLINE', 0, 'There was no answer', [], undefined, undefined, { cause });
  });
  const answer = parsedJson(await response.text());
  if (!response.ok) throw problemOf(response, answer);
  return { answer: answer as Answer, headers: response.headers };
}
