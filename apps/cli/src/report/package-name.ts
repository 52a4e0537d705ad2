import { printable } from './printable.js';

/** `<key>@<version>` of a package, with `unknown` for missing parts, for a line of the report. */
export function packageName(manifest: unknown): string {
  return `${textOf(manifest, 'key')}@${textOf(manifest, 'version')}`;
}

function textOf(manifest: unknown, key: string): string {
  const value =
    typeof manifest === 'object' && manifest !== null ? (manifest as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? printable(value.slice(0, 80)) : 'unknown';
}
