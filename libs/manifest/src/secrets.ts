import { pointer } from './json-pointer.js';
import type { Problem } from './problem.js';
import { hasPlaceholder } from './templates.js';

/**
 * Forms of secrets that issuers document, so that scanners find them. Each begins with fixed characters and
 * has no nested repetition, so it takes linear time.
 */
const PATTERNS: readonly [what: string, pattern: RegExp][] = [
  ['a private key', /-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{22,255})\b/],
  ['a GitLab token', /\bglpat-[0-9A-Za-z_-]{20,255}/],
  ['a Slack token', /\bxox[abeoprs]-[0-9A-Za-z-]{10,255}/],
  ['a Slack webhook', /hooks\.slack\.com\/services\/T[0-9A-Z]{6,}\/B[0-9A-Z]{6,}\/[0-9A-Za-z]{16,}/],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}\b/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['an OpenAI or Anthropic key', /\bsk-(?:ant-|proj-)?[0-9A-Za-z_-]{20,255}/],
  ['an npm token', /\bnpm_[0-9A-Za-z]{36}\b/],
  ['a SendGrid key', /\bSG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{16,64}\b/],
  ['a webhook secret', /\bwhsec_[0-9A-Za-z+/=_-]{16,255}/],
  ['a JSON Web Token', /\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/],
  ['a password in a URL', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@{}]{1,100}:[^\s/:@{}]{1,200}@/i],
  ['credentials of a header', /\b(?:Bearer|Basic|Token)\s+[0-9A-Za-z+/=._~-]{16,}/],
];

/** Keys whose value is a secret when it is a literal of some length. */
const SECRET_KEY =
  /^(?:authorization|proxy-authorization|x-api-key|x-auth-token|(?:[a-z0-9]+[_-])*(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|private[_-]?key|client[_-]?secret))$/i;

/** The shortest text that any pattern finds: a scheme of two letters, a user and a password of one (`ab://c:d@`). */
const SHORTEST_SECRET = 9;

/** Shorter values are words such as "bearer" or "none". */
const SECRET_LENGTH = 12;

/**
 * The places of a JSON value that look like a secret. What is found is not repeated in the message.
 *
 * @param document an admitted JSON value
 */
export function secretsIn(document: unknown): Problem[] {
  const problems: Problem[] = [];
  visit(document, [], problems);
  return problems;
}

/** @param path the steps to the value; shared by the whole walk, so it is as before when the call returns */
function visit(value: unknown, path: (string | number)[], problems: Problem[]): void {
  if (typeof value === 'string') {
    const what = secretIn(value, path.at(-1));
    if (what !== undefined) problems.push({ pointer: pointer(...path), message: `This looks like ${what}.` });
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) visitMember(value[i], i, path, problems);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) visitMember((value as Record<string, unknown>)[key], key, path, problems);
  }
}

function visitMember(value: unknown, step: string | number, path: (string | number)[], problems: Problem[]): void {
  path.push(step);
  visit(value, path, problems);
  path.pop();
}

function secretIn(text: string, key: string | number | undefined): string | undefined {
  if (text.length < SHORTEST_SECRET) return undefined;
  const found = PATTERNS.find(([, pattern]) => pattern.test(text));
  if (found) return found[0];
  const isLiteral = text.length >= SECRET_LENGTH && !/\s/.test(text) && !hasPlaceholder(text);
  return typeof key === 'string' && isLiteral && SECRET_KEY.test(key) ? `the value of "${key}"` : undefined;
}
