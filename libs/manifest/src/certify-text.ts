import { type CertifyOptions, certify } from './certify.js';
import type { Certification, Severity } from './check.js';
import { bounded, isAboutKey, type Problem } from './problem.js';
import { JsonSource, type SourceRange } from './source/json-source.js';

/** A finding with its position in the text; line and column count from 1. */
export interface LocatedFinding extends SourceRange {
  check: string;
  title: string;
  severity: Severity;
  docUrl: string;
  /** Which of the two texts the position refers to. */
  document: 'manifest' | 'reviewPacket';
  pointer: string;
  message: string;
}

interface TextCertification {
  certification: Certification;
  /** Findings of failed checks, sorted by check, then by position. */
  findings: LocatedFinding[];
}

export interface PackageTexts {
  manifest: JsonSource;
  reviewPacket?: JsonSource | undefined;
}

/**
 * Certifies the texts of a package. A text that is not JSON, or contains a duplicate key, fails MAN-001 (a review packet
 * REV-001) at that position and is not checked further.
 * @throws what a probe throws, like `certify`
 */
export async function certifySources(
  texts: PackageTexts,
  options: Omit<CertifyOptions, 'reviewPacket'>,
): Promise<TextCertification> {
  const { manifest, reviewPacket } = texts;
  const certification = await certify(
    manifest.value,
    { ...options, ...(reviewPacket && { reviewPacket: reviewPacket.value }) },
    { manifest: problemsOf(manifest), reviewPacket: problemsOf(reviewPacket) },
  );
  return { certification, findings: locateFindings(certification, texts) };
}

function problemsOf(source: JsonSource | undefined): readonly Problem[] {
  return source === undefined || source.parsed.ok ? [] : source.parsed.problems;
}

/** Adds positions to the findings of a certification of these texts, wherever it ran. */
export function locateFindings(certification: Certification, texts: PackageTexts): LocatedFinding[] {
  return certification.checks.flatMap(({ id, title, severity, docUrl, findings }) => {
    const document = id === 'REV-001' ? 'reviewPacket' : 'manifest';
    // Without a packet its findings point into the package.
    const source = texts[document] ?? texts.manifest;
    const rangeOf = ranges(source);
    return findings.map((problem) => {
      const { pointer, message } = problem;
      const range = rangeOf(problem);
      return { check: id, title, severity, docUrl, document, pointer, message, ...range };
    });
  });
}

/** Finds the position of each finding in turn; equal findings get their positions in the order of the text. */
function ranges(source: JsonSource): (problem: Problem) => SourceRange {
  if (source.parsed.ok) return (problem) => source.locate(problem.pointer, isAboutKey(problem) ? 'key' : 'value');
  const left = source.parsed.problems.map(({ start, end, ...problem }) => ({ start, end, ...bounded(problem) }));
  return (problem) => {
    const index = left.findIndex(({ pointer, message }) => pointer === problem.pointer && message === problem.message);
    const [own] = index < 0 ? [] : left.splice(index, 1);
    return source.rangeOf(own?.start ?? 0, own?.end ?? 0);
  };
}
