import type { TokenRequestError } from './token-request-error.js';

/** Longest wait for the answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

type Answer = Readonly<Record<string, unknown>>;

/** What differs between the endpoints that answer with a token. */
interface Endpoint {
  readonly url: URL;
  /** How an error calls it, such as `The token endpoint`. */
  readonly name: string;
  readonly init: RequestInit;
  readonly ErrorClass: typeof TokenRequestError;
  /** Codes of the errors without an answer, and with one that is not the endpoint's. */
  readonly codes: { readonly unreachable: string; readonly unexpected: string };
  readonly tokenOf: (answer: Answer) => unknown;
  /** Code and words of a refusal, as far as the answer has them. */
  readonly problemOf: (answer: Answer) => readonly [code: unknown, message: unknown];
}

/** @throws TokenRequestError */
export async function requestToken({ url, name, init, ErrorClass, codes, tokenOf, problemOf }: Endpoint) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  // A redirect would send the secret somewhere else.
  const sent = fetch(url, { ...init, method: 'POST', redirect: 'error', signal });
  const response = await sent.catch((cause: unknown) => {
    throw new ErrorClass(codes.unreachable, `${name} at ${url.origin} didn't respond`, undefined, undefined, { cause });
  });
  const { status } = response;
  const unexpected = (cause?: unknown) =>
    new ErrorClass(codes.unexpected, `${name} returned an unexpected response`, status, undefined, { cause });
  const body = await response.json().catch((cause: unknown) => {
    throw unexpected(cause);
  });
  const answer = (body ?? {}) as Answer;
  if (!response.ok) {
    const [code, message] = problemOf(answer);
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new ErrorClass(
      typeof code === 'string' ? code : codes.unexpected,
      String(message ?? `${name} returned ${status}`),
      status,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    );
  }
  const [token, expiresIn] = [tokenOf(answer), answer.expires_in];
  if (typeof token !== 'string' || typeof expiresIn !== 'number') throw unexpected();
  return { token, expiresIn };
}
