import type { Certification } from '@crm/manifest';
import { UsageError } from '../usage-error.js';
import type { Platform } from './platform.js';

const PATH = 'api/marketplace/developer/certifications';

/** Milliseconds; the platform looks up names, each with its own time limit. */
const TIMEOUT_MS = 60_000;

/**
 * Certifies through the API, which also knows who owns the key, which versions were submitted and how names resolve.
 *
 * @throws UsageError when there is no certification: no connection, a refusal, or an unexpected answer
 */
export async function certifyRemotely(
  platform: Platform,
  documents: { manifest: unknown; reviewPacket?: unknown },
): Promise<Certification> {
  const answer = await platform.call('POST', PATH, { body: documents, timeoutMs: TIMEOUT_MS });
  if (answer.status !== 200) platform.refuse(answer);
  if (!isCertification(answer.body)) throw new UsageError(`${platform.origin} did not answer with a certification.`);
  return answer.body;
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
