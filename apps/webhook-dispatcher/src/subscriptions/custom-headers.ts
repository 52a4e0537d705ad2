import { escapePointer, type FieldProblem, PlatformError } from '@crm/contracts';
import { isClientHeader } from '@crm/egress';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';

/** Values by name in lower case. */
export type CustomHeaders = Readonly<Record<string, string>>;

/** Shown instead of each value, which may be a credential; given back, it keeps the stored value. */
export const MASKED_VALUE = '********';

const MAX_HEADERS = 20;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 1_000;
/** All names and values together: half of the 8 KiB that common servers accept. */
const MAX_TOTAL_BYTES = 4_096;

/** A token of RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII, with spaces inside: a field value of RFC 9110, section 5.5, without tabs and obsolete text. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers of the delivery and its signatures; what describes the body; where a request says it came from. */
const RESERVED_PREFIXES = ['webhook-', 'x-platform-', 'content-', 'proxy-', 'x-forwarded-'];

/** A `cookie` would make a delivery act for the one who signed in; one `traceparent` would join all deliveries to one trace. */
const RESERVED_NAMES = new Set([
  ...['user-agent', 'http2-settings', 'via', 'forwarded', 'cookie', 'traceparent', 'tracestate', 'baggage'],
]);

/** @throws PlatformError VALIDATION_FAILED with a pointer to each header that is not accepted */
export function resolveHeaders(given: Readonly<Record<string, unknown>>, kept: CustomHeaders): CustomHeaders {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) {
    refuse([{ pointer: '/headers', code: 'TOO_MANY_ITEMS', detail: `Use up to ${MAX_HEADERS} headers` }]);
  }
  const resolved = new Map<string, string>();
  const problems: FieldProblem[] = [];
  for (const [givenName, givenValue] of entries) {
    const name = givenName.toLowerCase();
    const value = givenValue === MASKED_VALUE ? kept[name] : givenValue;
    const problem = problemOf(name, value, resolved.has(name));
    if (problem) problems.push({ pointer: `/headers/${escapePointer(givenName)}`, ...problem });
    else resolved.set(name, value as string);
  }
  if (problems.length > 0) refuse(problems);
  let bytes = 0;
  for (const [name, value] of resolved) bytes += name.length + value.length;
  if (bytes > MAX_TOTAL_BYTES) {
    const detail = `Names and values can have up to ${MAX_TOTAL_BYTES} bytes in total`;
    refuse([{ pointer: '/headers', code: 'TOO_LONG', detail }]);
  }
  return Object.fromEntries(resolved);
}

export const maskHeaders = (headers: CustomHeaders): CustomHeaders =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASKED_VALUE]));

function problemOf(name: string, value: unknown, isTwice: boolean): Omit<FieldProblem, 'pointer'> | undefined {
  if (name.length > MAX_NAME_LENGTH) {
    return { code: 'TOO_LONG', detail: `A name can have up to ${MAX_NAME_LENGTH} characters` };
  }
  if (!NAME.test(name))
    return { code: 'INVALID_HEADER_NAME', detail: 'A name must be an HTTP header name, such as X-Source' };
  if (isReserved(name)) return { code: 'RESERVED_HEADER', detail: `You can't set the ${name} header` };
  if (isTwice) return { code: 'DUPLICATE_HEADER', detail: `${name} is listed twice with different capitalization` };
  if (value === undefined)
    return { code: 'MISSING_VALUE', detail: '"********" keeps a stored value, and this header has none' };
  if (typeof value !== 'string') return { code: 'INVALID_TYPE', detail: 'Must be a string' };
  if (value.length > MAX_VALUE_LENGTH) {
    return { code: 'TOO_LONG', detail: `Must be ${MAX_VALUE_LENGTH} characters or fewer` };
  }
  if (!VALUE.test(value)) {
    return { code: 'INVALID_HEADER_VALUE', detail: 'Must be visible ASCII without leading or trailing spaces' };
  }
  return undefined;
}

const isReserved = (name: string): boolean =>
  RESERVED_NAMES.has(name) || isClientHeader(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));

function refuse(errors: FieldProblem[]): never {
  throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
}

@Injectable()
export class CustomHeaderService {
  private readonly box: SecretBox;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'keyEncryptionKey'>) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  seal(headers: CustomHeaders, subscriptionId: string): Buffer | null {
    if (Object.keys(headers).length === 0) return null;
    return this.box.seal(JSON.stringify(headers), contextOfHeaders(subscriptionId));
  }

  /** @throws Error when they were sealed for another subscription or with another key */
  open(sealed: Buffer | null, subscriptionId: string): CustomHeaders {
    return sealed === null ? {} : JSON.parse(this.box.open(sealed, contextOfHeaders(subscriptionId)));
  }
}

/** Not the context of the signing secret, so that neither opens as the other. */
export const contextOfHeaders = (subscriptionId: string): string => `webhook_subscription/${subscriptionId}/headers`;
