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

// SQLSTATEs of https://www.postgresql.org/docs/current/errcodes-appendix.html for what another moment, or another server,
// may do without a change of the statement: 08 connection exception; 25P03 and 25P04, a transaction that was ended for its
// age; 40 rollback by a deadlock or a serialization failure; 53 insufficient resources (disk, memory, connections); 55P03 lock
// not available; 57P01 to 57P05, the server or the session is ended or not there yet; 58 errors of the system below.
const TEMPORARY_SQLSTATE = /^(08\w{3}|25P0[34]|40\w{3}|53\w{3}|55P03|57P0[1-5]|58\w{3})$/;
/** query_canceled: the statement took longer than `statement_timeout`. */
const CANCELLED = '57014';
/** Of the temporary ones those of a statement that took too long, too much memory or too much temporary disk. */
const EXCESSIVE_SQLSTATES = new Set<unknown>([CANCELLED, '53200', '53400']);
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

/**
 * Whether the server or the moment is to blame for an error, and not the statement: what was asked for was not done, and may
 * succeed when it is asked for again.
 */
export function isTemporary(error: unknown): boolean {
  return temporaryCode(error) !== undefined;
}

/**
 * Whether a statement was ended for what it took: time, memory, temporary disk. Such an error is temporary, because on a
 * server with less to do it may pass; but the statement itself may be the reason, and then it never will.
 * @param error as the driver raised it or as a transaction rejected with it
 */
export function isExcessive(error: unknown): boolean {
  return EXCESSIVE_SQLSTATES.has(unwrap(error instanceof PlatformError ? error.cause : error).code);
}

/**
 * A temporary error as what the caller sees, 503 with Retry-After: DEADLINE_EXCEEDED for a statement that took too long,
 * SERVICE_UNAVAILABLE for the rest. Any other error unchanged.
 */
export function asPlatformError(error: unknown): unknown {
  const code = error instanceof PlatformError ? undefined : temporaryCode(error);
  if (!code) return error;
  return new PlatformError(code, DETAILS[code], { retryAfterSeconds: 1, cause: error });
}

const DETAILS = {
  SERVICE_UNAVAILABLE: 'The database is not available',
  DEADLINE_EXCEEDED: 'The database did not answer in time',
};

function temporaryCode(error: unknown): keyof typeof DETAILS | undefined {
  const { code, message } = unwrap(error);
  if (code === CANCELLED) return 'DEADLINE_EXCEEDED';
  const isKnown = typeof code === 'string' && (TEMPORARY_SQLSTATE.test(code) || LOST_SYSTEM_CODES.has(code));
  const isLost = typeof message === 'string' && LOST_MESSAGES.test(message);
  return isKnown || isLost ? 'SERVICE_UNAVAILABLE' : undefined;
}
