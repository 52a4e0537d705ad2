import type { Upstream } from '../routing/routing.js';

/** Node's codes for certificates that are refused: those of OpenSSL's verification, and that of the name. */
const CERTIFICATE_CODES =
  /^(CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|ERR_TLS_CERT_|ERROR_IN_CERT_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|SELF_SIGNED_CERT_|UNABLE_TO_)/;
/** The two do not find a version or suite, or the service speaks something else: plain HTTP. */
const PROTOCOL_CODES = /^(EPROTO$|ERR_SSL_)/;

/** A service is not called because it cannot show who it is. */
export class UpstreamNotTrusted extends Error {
  readonly code: string;

  constructor(upstream: Upstream, reason: string, cause: Error & { code: string }) {
    super(`${upstream} is not called: ${reason} (${cause.message})`, { cause });
    this.name = 'UpstreamNotTrusted';
    this.code = cause.code;
  }
}

/** The error of a call, in words that name the service and the certificate if that is what it failed by. */
export function explainTlsFailure(upstream: Upstream, error: Error): Error {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  const cause = error as Error & { code: string };
  if (CERTIFICATE_CODES.test(code)) return new UpstreamNotTrusted(upstream, 'its certificate is not accepted', cause);
  if (PROTOCOL_CODES.test(code)) return new UpstreamNotTrusted(upstream, 'it does not speak TLS as we do', cause);
  return error;
}
