import type { CertifiedPackage } from '../certified-package.js';
import { printableJson } from './printable.js';

/**
 * The certifications as JSON: what the API answers, with the file and with line and column of each finding; one
 * object for one package, a list for several.
 */
export function jsonReport(packages: readonly CertifiedPackage[]): string {
  const documents = packages.map(({ file, certification, findings }) => ({ file, ...certification, findings }));
  return `${printableJson(documents.length === 1 ? documents[0] : documents)}\n`;
}
