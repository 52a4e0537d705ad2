export { checkAddress, isAddress, type Refusal, type RefusalCode, type Verdict } from './address.js';
export { checkHostname, type HostnameOptions, normalizeHostname } from './hostname.js';
export {
  checkUrl,
  type HostPort,
  hostOf,
  isException,
  MAX_URL_LENGTH,
  parseUrl,
  portOf,
  type UrlOptions,
  type UrlVerdict,
} from './url.js';
