import { PlatformError } from '@crm/contracts';

interface PostgresError {
  code?: unknown;
  constraint?: unknown;
  driverError?: PostgresError;
  message?: unknown;
}

const UNIQUE_VIOLATION = '23505';

function unwrap(error: unknown): PostgresError {
  if (typeof error !== 'object' || error === null) return {};
  const outer = error as PostgresError;
  // TypeORM wraps the driver's error in a QueryFailedError.
  return outer.driverError ?? outer;
}

/**
 * Whether a statement failed because a unique value exists already.
 * @param constraint name of the constraint or unique index; any when left out
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const inner = unwrap(error);
  return inner.code === UNIQUE_VIOLATION && (constraint === undefined || inner.constraint === constraint);
}

// SQLSTATE classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: 08 connection exception,
// 53300 too_many_connections, 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03 cannot_connect_now, 57P05 idle_session_timeout.
const LOST_SQLSTATE = /^(08\w{3}|53300|57P0[1235])$/;
const LOST_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
// `pg` raises these without a code.
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

/** Whether the error says that the server, or the connection to it, is not there (rather than that a statement is wrong). */
export function isConnectionLost(error: unknown): boolean {
  const inner = unwrap(error);
  if (typeof inner.code === 'string' && (LOST_SQLSTATE.test(inner.code) || LOST_SYSTEM_CODES.has(inner.code))) {
    return true;
  }
  return typeof inner.message === 'string' && LOST_MESSAGES.test(inner.message);
}

/** A lost connection as what the caller sees, 503 with Retry-After; any other error unchanged. */
export function asPlatformError(error: unknown): unknown {
  if (error instanceof PlatformError || !isConnectionLost(error)) return error;
  return new PlatformError('SERVICE_UNAVAILABLE', 'The database is not available', {
    retryAfterSeconds: 1,
    cause: error,
  });
}
