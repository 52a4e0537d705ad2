export { checkAddress, isAddress } from './address.js';
export { checkHostname, type HostnameOptions, normalizeHostname } from './hostname.js';
export { parseUrl } from './parse-url.js';
export {
  checkUrl,
  type HostPort,
  hostOf,
  isException,
  MAX_URL_LENGTH,
  portOf,
  type UrlOptions,
  type UrlVerdict,
} from './url.js';
export type { Refusal, RefusalCode, Verdict } from './verdict.js';
