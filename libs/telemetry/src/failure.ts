import { PlatformError } from '@crm/contracts';

/** Why work failed, as a word that has few values. */
export interface Failure {
  readonly type: string;
  /** Whether the request was at fault, and the work did what it should by refusing it. */
  readonly isRefusal: boolean;
}

/** Names of errors and their codes, such as `TimeoutError`, `ECONNRESET` or `23505`; nothing that has a space is one. */
const WORD = /^[\w.:-]{1,64}$/;

export function failureOf(reason: unknown): Failure {
  if (reason instanceof PlatformError) return { type: reason.code, isRefusal: reason.status < 500 };
  if (typeof reason === 'string') return { type: WORD.test(reason) ? reason : 'Error', isRefusal: false };
  if (!(reason instanceof Error)) return { type: typeof reason, isRefusal: false };
  const { code } = reason as { code?: unknown };
  return { type: typeof code === 'string' && WORD.test(code) ? code : reason.name, isRefusal: false };
}
