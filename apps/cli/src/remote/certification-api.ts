import { parseUrl } from '@crm/address-policy';
import type { Certification } from '@crm/manifest';
import { errorCodeOf, messageOf } from '../error-code.js';
import { UsageError } from '../usage-error.js';

/** The address of the platform and the caller's token. */
export interface Remote {
  baseUrl: URL;
  /** An access token of a developer workspace's admin. */
  token: string;
}

const PATH = 'api/marketplace/developer/certifications';

/** Milliseconds; the platform looks up names, each with its own time limit. */
const TIMEOUT_MS = 60_000;

/** Hosts to which a token may be sent without TLS. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses the address of the platform.
 *
 * @throws UsageError when it is not an http or https URL, or is plain http to another machine
 */
export function baseUrlOf(text: string, usage: string): URL {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`--base-url must be an http or https address, such as https://crm.example.com.`, usage);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new UsageError(
      '--base-url must be https: otherwise the token would be sent to another machine unencrypted.',
      usage,
    );
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/**
 * Certifies through the API, which also knows who owns the key, which versions were submitted and how names resolve.
 *
 * @throws UsageError when there is no certification: no connection, a refusal, or an unexpected answer
 */
export async function certifyRemotely(
  remote: Remote,
  documents: { manifest: unknown; reviewPacket?: unknown },
): Promise<Certification> {
  const url = new URL(PATH, remote.baseUrl);
  const answer = await post(url, remote.token, documents);
  if (answer.status !== 200) throw new UsageError(`${url.origin} refused: ${refusalOf(answer)}`);
  if (!isCertification(answer.body)) throw new UsageError(`${url.origin} did not answer with a certification.`);
  return answer.body;
}

interface Answer {
  status: number;
  /** Undefined when it is not JSON. */
  body: unknown;
}

async function post(url: URL, token: string, body: unknown): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text) };
  } catch (error) {
    throw new UsageError(`${url.origin} cannot be reached: ${reasonOf(error)}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `fetch` reports "fetch failed" and keeps the reason as its cause. */
function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('name' in error && error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`;
  const cause = 'cause' in error && error.cause ? error.cause : error;
  return errorCodeOf(cause) || messageOf(cause);
}

/** The status and the text of a problem document (RFC 9457). */
function refusalOf({ status, body }: Answer): string {
  const problem = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = [problem.detail, problem.title].find((value) => typeof value === 'string');
  const hint = status === 401 ? ' Sign in again and use the new token.' : '';
  return `${status}${text === undefined ? '' : ` ${text}`}${hint}`;
}

function isCertification(body: unknown): body is Certification {
  if (typeof body !== 'object' || body === null) return false;
  const { passed, checks, summary } = body as Record<string, unknown>;
  return (
    typeof passed === 'boolean' &&
    typeof summary === 'object' &&
    summary !== null &&
    Array.isArray(checks) &&
    checks.every((check) => typeof check?.id === 'string' && Array.isArray(check.findings))
  );
}
