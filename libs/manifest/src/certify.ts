import { createHash } from 'node:crypto';
import type { UrlOptions } from '@crm/address-policy';
import { canonicalJson } from '@crm/contracts';
import { nextTurn } from '@crm/formula';
import { admitJson } from './admit-json.js';
import type { Certification, Check, CheckContext, CheckOutcome, CheckResult, CheckStatus } from './check.js';
import { CHECKS } from './checks/index.js';
import { draftOf } from './example.js';
import type { CertificationProbes } from './outbound-urls.js';
import { bounded, compareProblems, isAdvice, MAX_FINDINGS, type Problem } from './problem.js';
import type { Manifest } from './schema/manifest.js';

/**
 * The SHA-256 of the canonical form of a manifest, in lower-case hex: the identity of a version.
 * @throws TypeError when the manifest is not a JSON value
 */
export function manifestSha256(manifest: unknown): string {
  return createHash('sha256').update(canonicalJson(manifest), 'utf8').digest('hex');
}

/** Changes when a check is added or changes its verdicts. */
export const SUITE_VERSION = '1.5.0';

export interface CertifyOptions {
  reviewPacket?: unknown;
  /** A missing review packet fails in a submission and is skipped in a certification. */
  mode: 'certification' | 'submission';
  /** Answers that only the marketplace knows; checks without their probe are skipped. */
  probes?: CertificationProbes;
  /** Allowed ports and cluster suffixes of the platform that will call the targets. */
  addressPolicy?: Pick<UrlOptions, 'allowedPorts' | 'clusterSuffixes'>;
  /** The platform's address, at which the pages of checks are; without it `docUrl` is relative to it. */
  baseUrl?: string;
}

interface Obstacles {
  manifest: readonly Problem[];
  reviewPacket: readonly Problem[];
}

/**
 * Runs the suite on a package. It is pure except for the probes: the same package gets the same result.
 * @param manifest any value; if it is not JSON, or too deep or too large, it fails MAN-001 and is not checked further
 * @param unread why the parser rejected the documents, if they come from texts
 * @throws what a probe throws, except for a name that does not resolve
 */
export async function certify(
  manifest: unknown,
  options: CertifyOptions,
  unread: Obstacles = { manifest: [], reviewPacket: [] },
): Promise<Certification> {
  const obstacles: Obstacles = {
    manifest: unread.manifest.length > 0 ? unread.manifest : obstaclesIn(manifest),
    reviewPacket:
      unread.reviewPacket.length > 0 || options.reviewPacket === undefined
        ? unread.reviewPacket
        : obstaclesIn(options.reviewPacket),
  };
  const { baseUrl = '' } = options;
  if (obstacles.manifest.length > 0 || obstacles.reviewPacket.length > 0) return refuse(obstacles, manifest, baseUrl);

  // Keys in canonical order, so that the result depends only on what the hash depends on.
  const context = contextOf(JSON.parse(canonicalJson(manifest)), options);
  // Each begins in a turn of its own of the event loop: a package may be so large that all of them together keep others waiting.
  let turn: Promise<unknown> = Promise.resolve();
  const checks = await Promise.all(
    CHECKS.map(async (check) => {
      turn = turn.then(nextTurn);
      await turn;
      return resultOf(check, await check.run(context), baseUrl);
    }),
  );
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

function resultOf(check: Check, outcome: CheckOutcome, baseUrl: string): CheckResult {
  const docUrl = `${baseUrl}/docs/certification/${check.id}`;
  if ('skip' in outcome) return entry(check, docUrl, 'skip', outcome.skip, []);
  const findings: Problem[] = [];
  let isAll = true;
  for (const problem of outcome) {
    isAll = findings.length < MAX_FINDINGS;
    if (!isAll) break;
    findings.push(bounded(problem));
  }
  if (findings.length === 0) return entry(check, docUrl, 'pass', 'Passed.', []);
  findings.sort(compareProblems);
  const more = isAll ? findings.length - 1 : `at least ${MAX_FINDINGS}`;
  return entry(check, docUrl, 'fail', `${findings[0]!.message}${more === 0 ? '' : ` (and ${more} more)`}`, findings);
}

function entry(check: Check, docUrl: string, status: CheckStatus, message: string, findings: Problem[]): CheckResult {
  const { id, title } = check;
  const severity = findings.length > 0 && findings.every(isAdvice) ? 'advice' : check.severity;
  const pointer = findings[0]?.pointer ?? '';
  return { id, title, severity, status, message, pointer, docUrl, findings };
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

function obstaclesIn(document: unknown): Problem[] {
  const obstacle = admitJson(document);
  return obstacle ? [obstacle] : [];
}

function refuse(obstacles: Obstacles, manifest: unknown, baseUrl: string): Certification {
  const named: Readonly<Record<string, readonly Problem[]>> = {
    'MAN-001': obstacles.manifest,
    'REV-001': obstacles.reviewPacket,
  };
  const checks = CHECKS.map((check) => {
    const problems = named[check.id] ?? [];
    const outcome =
      problems.length > 0
        ? problems.map(({ pointer, message }) => ({ pointer, message }))
        : { skip: "Not run because the document can't be read." };
    return resultOf(check, outcome, baseUrl);
  });
  return certification(obstacles.manifest.length > 0 ? null : manifestSha256(manifest), checks);
}
