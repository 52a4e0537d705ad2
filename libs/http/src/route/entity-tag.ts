import { PlatformError } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** RFC 9110, section 8.8.3. @param parts what changes the representation without a new version; without quotes */
export const entityTag = (version: number, ...parts: readonly string[]): string => `"${[version, ...parts].join('.')}"`;

/** Versions that may be changed; null for any. */
export type ExpectedVersions = ReadonlySet<number> | null;

/** An element of the list: a tag, weak or not, and the comma after it. Tags may contain commas too. */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(,|$)/y;
/** The version at the beginning of the platform's tags. */
const OWN_TAG = /^([1-9][0-9]{0,9})(?:\.|$)/;

/**
 * `If-Match` (RFC 9110, section 13.1.1), compared strongly: weak and foreign tags match nothing. Absent: any version.
 * @throws MALFORMED_REQUEST when it is not a list of entity tags
 */
export function parseIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return null;
  const versions = new Set<number>();
  let tags = 0;
  for (ELEMENT.lastIndex = 0; ; ) {
    const element = ELEMENT.exec(header);
    if (!element) throw malformed();
    const [, weak, opaque, separator] = element;
    if (opaque !== undefined) tags += 1;
    const own = weak === undefined && opaque !== undefined ? OWN_TAG.exec(opaque) : null;
    if (own) versions.add(Number(own[1]));
    if (separator === '') break;
  }
  if (tags === 0) throw malformed();
  return versions;
}

/** @throws VERSION_MISMATCH when the current version is not one of the expected ones */
export function requireMatch(expected: ExpectedVersions, version: number): void {
  if (expected && !expected.has(version)) throw new PlatformError('VERSION_MISMATCH');
}

const malformed = (): PlatformError =>
  new PlatformError('MALFORMED_REQUEST', 'If-Match must be "*" or a list of entity tags, each in double quotes');

const expectedBy = createParamDecorator((name: string, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, string | undefined>> }>();
  return parseIfMatch(headers[name]);
});

/** Injects the versions that `If-Match` allows to change: `@IfMatch() expected: ExpectedVersions`. */
export const IfMatch = (): ParameterDecorator => expectedBy('if-match');
