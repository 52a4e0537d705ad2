import type { Certification, Severity } from './certification.js';
import { type CertifyOptions, certifyAdmitted } from './certify.js';
import { bounded, isAboutKey, type Problem } from './problem.js';
import { JsonSource, type SourceRange } from './source/json-source.js';

/** A finding with the place in the text that it is about; line and column count from 1. */
export interface LocatedFinding extends SourceRange {
  check: string;
  title: string;
  severity: Severity;
  docUrl: string;
  /** Which of the two texts. */
  document: 'manifest' | 'reviewPacket';
  pointer: string;
  message: string;
}

/** The result of the suite over texts. */
export interface TextCertification {
  certification: Certification;
  /** By check, then by place; those of failed checks only. */
  findings: LocatedFinding[];
}

/** The texts, as they stand in their files. */
export interface PackageTexts {
  manifest: JsonSource;
  reviewPacket?: JsonSource | undefined;
}

/** How to certify a text. */
export interface CertifyTextOptions extends Omit<CertifyOptions, 'reviewPacket'> {
  /** The text of the review packet. */
  reviewPacket?: string;
}

/**
 * Runs the suite over the text of a package. A text that is not JSON, or in which a key stands twice, fails
 * MAN-001 (a review packet REV-001) at its place and is not looked at further.
 *
 * @throws what a probe throws, as `certify`
 */
export async function certifyText(source: string, options: CertifyTextOptions): Promise<TextCertification> {
  const { reviewPacket, ...rest } = options;
  const texts: PackageTexts = {
    manifest: new JsonSource(source),
    reviewPacket: reviewPacket === undefined ? undefined : new JsonSource(reviewPacket),
  };
  return certifySources(texts, rest);
}

/** {@link certifyText} for texts that have been read already. */
export async function certifySources(
  texts: PackageTexts,
  options: Omit<CertifyOptions, 'reviewPacket'>,
): Promise<TextCertification> {
  const { manifest, reviewPacket } = texts;
  const certification = await certifyAdmitted(
    manifest.value,
    { ...options, ...(reviewPacket && { reviewPacket: reviewPacket.value }) },
    { manifest: problemsOf(manifest), reviewPacket: problemsOf(reviewPacket) },
  );
  return { certification, findings: locateFindings(certification, texts) };
}

function problemsOf(source: JsonSource | undefined): readonly Problem[] {
  return source === undefined || source.parsed.ok ? [] : source.parsed.problems;
}

/** The findings of a certification of these texts, wherever it ran, with their places. */
export function locateFindings(certification: Certification, texts: PackageTexts): LocatedFinding[] {
  return certification.checks.flatMap(({ id, title, severity, docUrl, findings }) => {
    const document = id === 'REV-001' ? 'reviewPacket' : 'manifest';
    // Without a packet there is nothing to point into but the package.
    const source = texts[document] ?? texts.manifest;
    const rangeOf = ranges(source);
    return findings.map((problem) => {
      const { pointer, message } = problem;
      const range = rangeOf(problem);
      return { check: id, title, severity, docUrl, document, pointer, message, ...range };
    });
  });
}

/** Finds the place of each finding in turn: of several alike the first is the first in the text, and so on. */
function ranges(source: JsonSource): (problem: Problem) => SourceRange {
  if (source.parsed.ok) return (problem) => source.locate(problem.pointer, isAboutKey(problem) ? 'key' : 'value');
  const left = source.parsed.problems.map(({ start, end, ...problem }) => ({ start, end, ...bounded(problem) }));
  return (problem) => {
    const index = left.findIndex(({ pointer, message }) => pointer === problem.pointer && message === problem.message);
    const [own] = index < 0 ? [] : left.splice(index, 1);
    return source.rangeOf(own?.start ?? 0, own?.end ?? 0);
  };
}
