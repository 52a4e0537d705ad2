/** Why a host name, an address or a URL is refused. */
export type RefusalCode =
  | 'invalid_address'
  | 'refused_address'
  | 'invalid_hostname'
  | 'refused_hostname'
  | 'invalid_url'
  | 'url_too_long'
  | 'not_https'
  | 'has_userinfo'
  | 'refused_port';

/** A refusal. The message is a sentence without a full stop that may be shown to whoever entered the URL. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  message: string;
}

/** The result of a check. */
export type Verdict = { ok: true } | Refusal;

/** Creates a refusal. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message };
}

/** The only positive verdict. */
export const ALLOWED: Verdict = Object.freeze({ ok: true });
