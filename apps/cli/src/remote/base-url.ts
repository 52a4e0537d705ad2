import { parseUrl } from '@crm/address-policy';
import { UsageError } from '../usage-error.js';

/** Hosts to which a token may be sent without TLS. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses the address of the platform.
 *
 * @throws UsageError when it is not an http or https URL, or is plain http to another machine
 */
export function baseUrlOf(text: string, usage: string): URL {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`--base-url must be an http or https address, such as https://crm.example.com.`, usage);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new UsageError(
      '--base-url must be https: otherwise the token would be sent to another machine unencrypted.',
      usage,
    );
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
