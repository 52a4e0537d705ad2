import type { JsonObject } from './submission.js';

/** Ids of the checks of severity `warning` that failed in a stored certification. */
export function openWarnings(certification: JsonObject): string[] {
  const checks = Array.isArray(certification.checks) ? (certification.checks as Record<string, unknown>[]) : [];
  return checks
    .filter((check) => check.severity === 'warning' && check.status === 'fail')
    .map((check) => String(check.id));
}
