import { pointer } from './json-pointer.js';
import { MAX_FINDINGS, type Problem } from './problem.js';

/**
 * Formats of secrets that issuers document for scanners. Each pattern takes linear time: it begins with fixed
 * characters, an unbounded repetition begins where no other one of its kind can (hence the look-behind), and none is
 * nested.
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
  ['a webhook secret', /\bwhs(?:ec|k)_[0-9A-Za-z+/=_-]{16,255}/],
  ['a JSON Web Token', /(?<![0-9A-Za-z_-])eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/],
  ['a password in a URL', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@{}]{1,100}:[^\s/:@{}]{1,200}@/i],
  ['credentials of a header', /(?<![0-9A-Za-z_-])bearer\s+[0-9A-Za-z+/=._~-]{20,}/i],
];

/** Formats that prose can have too: the captured part must look generated. */
const LIKELY_PATTERNS: readonly [what: string, pattern: RegExp][] = [
  ['credentials of a header', /(?<![0-9A-Za-z_-])(?:bearer|basic|token|api-?key)\s+([0-9A-Za-z+/=._~-]{16,255})/gi],
  [
    'a secret in a URL or a form',
    /(?:^|[?&])(?:[a-z0-9]{1,40}[_-]){0,4}(?:api[_-]?key|token|secret|password|passwd|sig|signature)=([^&#\s{}]{12,255})/gi,
  ],
  [
    'a secret in JSON',
    /"(?:[a-z0-9]{1,40}[_-]){0,4}(?:api[_-]?key|token|secret|password|passwd)"\s{0,20}:\s{0,20}"([^"\s{}]{12,255})"/gi,
  ],
];

/** Keys whose value is a secret when it is a literal of a certain length. */
const SECRET_KEY =
  /^(?:authorization|proxy-authorization|x-api-key|x-auth-token|x-access-token|x-token|(?:[a-z0-9]{1,40}[_-]){0,8}(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|private[_-]?key|client[_-]?secret))$/i;

/** Keys whose value may be a secret: only a literal that looks generated counts. */
const LIKELY_SECRET_KEY = /^(?:cookie|set-cookie|(?:[a-z0-9]{1,40}[_-]){0,8}(?:token|credentials?|passphrase))$/i;

/** Shortest text that any pattern finds: a scheme of two letters, a user and a password of one (`ab://c:d@`). */
const SHORTEST_SECRET = 9;

/** Shorter values are words such as "bearer" or "none". */
const SECRET_LENGTH = 12;

/** Keys that consist of plain words, as most do; no pattern matches them. */
const PLAIN_KEY = /^[a-z]+(?:[A-Z_][a-z]+)*$/;

/**
 * Finds values and keys that look like a secret, no more than a result shows. The message does not repeat the secret,
 * nor does the pointer contain a key that looks like one.
 */
export function secretsIn(document: unknown): Problem[] {
  const problems: Problem[] = [];
  visit(document, [], problems);
  return problems;
}

/** @param path the steps to the value; shared by the whole walk, so it is restored before the call returns */
function visit(value: unknown, path: (string | number)[], problems: Problem[]): void {
  if (problems.length > MAX_FINDINGS) return;
  if (typeof value === 'string') {
    const what = secretIn(value, path.at(-1));
    if (what !== undefined)
      problems.push({
        pointer: pointer(...path),
        message: `This looks like ${what}. Remove it, and revoke it if it's real.`,
      });
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) visitMember(value[i], i, path, problems);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const what = PLAIN_KEY.test(key) ? undefined : formIn(key);
      if (what !== undefined)
        problems.push({
          pointer: pointer(...path),
          message: `A key here looks like ${what}. Remove it, and revoke it if it's real.`,
        });
      else visitMember((value as Record<string, unknown>)[key], key, path, problems);
    }
  }
}

function visitMember(value: unknown, step: string | number, path: (string | number)[], problems: Problem[]): void {
  path.push(step);
  visit(value, path, problems);
  path.pop();
}

function secretIn(text: string, key: string | number | undefined): string | undefined {
  const found = formIn(text);
  if (found !== undefined || typeof key !== 'string' || text.length < SECRET_LENGTH) return found;
  if (!SECRET_KEY.test(key) && !LIKELY_SECRET_KEY.test(key)) return undefined;
  const literal = literalOf(text);
  const isSecret = SECRET_KEY.test(key)
    ? literal.length >= SECRET_LENGTH && !/\s/.test(literal)
    : literal.split(/[\s;,=]+/).some((part) => part.length >= SECRET_LENGTH && looksGenerated(part));
  return isSecret ? `the value of "${key}"` : undefined;
}

/** What kind of secret a text looks like, or undefined. */
function formIn(text: string): string | undefined {
  if (text.length < SHORTEST_SECRET) return undefined;
  const found = PATTERNS.find(([, pattern]) => pattern.test(text));
  if (found) return found[0];
  for (const [what, pattern] of LIKELY_PATTERNS) {
    for (const match of text.matchAll(pattern)) if (looksGenerated(match[1] ?? '')) return what;
  }
  return undefined;
}

/** The value of a header or a key without placeholders and without the name of its scheme. */
function literalOf(text: string): string {
  return text.replace(/\{\{[^{}]*\}\}/g, '').replace(/^(?:bearer|basic|token|api-?key)\s+/i, '');
}

/** A word, optionally followed by a number, or a short number: `next`, `externalTokenV2`, `2024`. */
const WORD = /^(?:[a-z]{1,20}\d{0,4}|\d{0,8})$/i;

/** Returns whether a text mixes letters and digits, or upper and lower case, in a way that hyphenated words do not. */
function looksGenerated(text: string): boolean {
  if ((text.match(/[a-z][A-Z]/g)?.length ?? 0) > 2) return true;
  return /\d/.test(text) && /[a-z]/i.test(text) && text.split(/[^0-9a-z]+/i).some((part) => !WORD.test(part));
}
