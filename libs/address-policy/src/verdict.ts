/** Why a name, an address or a URL may not be called. */
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

/** A refusal, with a sentence that may be shown to the person who gave the name, address or URL. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  message: string;
}

/** The answer of a check. */
export type Verdict = { ok: true } | Refusal;

/** Makes a refusal. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message };
}

/** The one positive answer. */
export const ALLOWED: Verdict = Object.freeze({ ok: true });
