import { callOf } from '@crm/access';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Where a call without a token comes from, for the sessions that it opens and for the audit trail. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** Injects where an HTTP call comes from. */
export const CurrentOrigin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => {
  const { ip, headers, callContext } = callOf(context);
  const { requestId, traceparent } = callContext;
  return { address: ip ?? '', userAgent: headers['user-agent'] ?? null, requestId, traceparent };
});

/** In this order: browsers name those whose engine they share, and Edge names Chrome and Safari too. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bcrm-dev\//i, 'crm-dev'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//i, 'curl'],
  [/\bPostmanRuntime\//, 'Postman'],
  [/\bpython-(?:requests|httpx)\/|\baiohttp\//i, 'Python'],
  [/^node$|\bnode-fetch\b|\bundici\b/i, 'Node.js'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (list: typeof PROGRAMS, text: string): string | undefined =>
  list.find(([pattern]) => pattern.test(text))?.[1];

/** `Firefox on Linux`: a hint on which nothing depends. @returns null for one that says nothing known */
export function deviceOf(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const program = nameIn(PROGRAMS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  return program && system ? `${program} on ${system}` : (program ?? system ?? null);
}
