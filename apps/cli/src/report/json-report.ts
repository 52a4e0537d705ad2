import type { CertifiedPackage } from '../certified-package.js';
import { printableJson } from './printable.js';

/**
 * The certifications as JSON: the API's answer with the file, and the line and column of each finding. One object for one
 * package, a list for several.
 */
export function jsonReport(packages: readonly CertifiedPackage[]): string {
  const documents = packages.map(({ file, certification, findings }) => ({ file, ...certification, findings }));
  return `${printableJson(documents.length === 1 ? documents[0] : documents)}\n`;
}
