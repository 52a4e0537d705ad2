import type { UrlOptions } from '@crm/address-policy';
import { admitJson, type Inadmissible } from './admit-json.js';
import type { Certification, CheckResult, CheckStatus } from './certification.js';
import type { Check, CheckContext, CheckOutcome } from './check.js';
import { CHECKS } from './checks/index.js';
import { draftOf } from './draft.js';
import { manifestSha256 } from './manifest-hash.js';
import type { CertificationProbes } from './probes.js';
import { compareProblems, type Problem } from './problem.js';
import type { Manifest } from './schema/manifest.js';

/** Changes when a check is added or judges differently. */
export const SUITE_VERSION = '1.0.0';

/** More findings of one check than a person reads at once; a check is not asked for further ones. */
const MAX_FINDINGS = 100;

/** How to certify. */
export interface CertifyOptions {
  reviewPacket?: unknown;
  /** In a submission a missing review packet fails, in a certification it is skipped. */
  mode: 'certification' | 'submission';
  /** What only the marketplace knows; checks without their probe are skipped. */
  probes?: CertificationProbes;
  /** Ports and cluster suffixes of the platform that will call the targets. */
  addressPolicy?: Pick<UrlOptions, 'allowedPorts' | 'clusterSuffixes'>;
}

/**
 * Runs the suite over a package. It is pure apart from the probes: the same package gives the same result.
 *
 * @param manifest any value; what is no JSON, or too deep or too large, fails MAN-001 and is not looked at further
 * @throws what a probe throws, except for a name that does not resolve
 */
export async function certify(manifest: unknown, options: CertifyOptions): Promise<Certification> {
  const obstacle = admitJson(manifest);
  const packetObstacle = options.reviewPacket === undefined ? undefined : admitJson(options.reviewPacket);
  if (obstacle || packetObstacle) return refuse(obstacle, packetObstacle, manifest);

  const context = contextOf(manifest, options);
  const checks = await Promise.all(CHECKS.map(async (check) => resultOf(check, await check.run(context))));
  return certification(context.manifestSha256, checks);
}

function contextOf(document: unknown, options: CertifyOptions): CheckContext {
  const probes = options.probes ?? {};
  const manifest = draftOf(document);
  let published: Promise<Manifest | null> | undefined;
  const addresses = new Map<string, Promise<readonly string[]>>();
  return {
    manifest,
    document,
    manifestSha256: manifestSha256(document),
    reviewPacket: options.reviewPacket,
    mode: options.mode,
    addressPolicy: options.addressPolicy ?? {},
    probes,
    async publishedManifest() {
      if (!probes.publishedManifest) return undefined;
      published ??= manifest.key === undefined ? Promise.resolve(null) : probes.publishedManifest(manifest.key);
      return published;
    },
    async resolveHost(hostname) {
      if (!probes.resolveHost) return undefined;
      const known = addresses.get(hostname) ?? probes.resolveHost(hostname).catch(() => []);
      addresses.set(hostname, known);
      return known;
    },
  };
}

function resultOf(check: Check, outcome: CheckOutcome): CheckResult {
  if ('skip' in outcome) return entry(check, 'skip', outcome.skip, []);
  const findings: Problem[] = [];
  for (const problem of outcome) {
    findings.push(problem);
    if (findings.length === MAX_FINDINGS) break;
  }
  if (findings.length === 0) return entry(check, 'pass', 'Passed.', []);
  findings.sort(compareProblems);
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return entry(check, 'fail', `${findings[0]!.message}${more}`, findings);
}

function entry(check: Check, status: CheckStatus, message: string, findings: Problem[]): CheckResult {
  const { id, title, severity } = check;
  const pointer = findings[0]?.pointer ?? '';
  return { id, title, severity, status, message, pointer, docUrl: `/docs/certification/${id}`, findings };
}

function certification(sha256: string | null, checks: CheckResult[]): Certification {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  return {
    suiteVersion: SUITE_VERSION,
    manifestSha256: sha256,
    passed: !checks.some((check) => check.status === 'fail' && check.severity === 'blocker'),
    checks,
    summary: { passed: count('pass'), failed: count('fail'), skipped: count('skip') },
  };
}

/** The result for a document that cannot be looked at. */
function refuse(
  obstacle: Inadmissible | undefined,
  packetObstacle: Inadmissible | undefined,
  manifest: unknown,
): Certification {
  const checks = CHECKS.map((check) => {
    if (check.id === 'MAN-001' && obstacle) return resultOf(check, [obstacle]);
    if (check.id === 'REV-001' && packetObstacle) return resultOf(check, [packetObstacle]);
    return resultOf(check, { skip: 'Not run: the document cannot be read.' });
  });
  return certification(obstacle ? null : manifestSha256(manifest), checks);
}
