import { PlatformError } from '@crm/contracts';
import pg from 'pg';

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

/** Returns whether a statement failed because a value of this unique constraint, or of any, already exists. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const inner = unwrap(error);
  return inner.code === UNIQUE_VIOLATION && (constraint === undefined || violated(inner) === constraint);
}

/** The coordinator of a cluster passes on the message of a node alone, in which the name ends with the number of a shard. */
function violated({ constraint, message }: PostgresError): unknown {
  return constraint ?? /"(\w+)_\d+"/.exec(String(message))?.[1];
}

/** After any other error, such as a lost connection, it is not known whether the server has committed. */
export const isRefusedStatement = (error: unknown): boolean => error instanceof pg.DatabaseError;

// SQLSTATEs of https://www.postgresql.org/docs/current/errcodes-appendix.html of failures after which the same statement
// may succeed later or on another server: 08 connection exception; 28 and 3D, no session was opened, as the password was changed
// or the database is not there; 25P03 and 25P04, a transaction that was ended for its
// age; 40 rollback by a deadlock or a serialization failure; 53 insufficient resources (disk, memory, connections); 55P03 lock
// not available; 57P01 to 57P05, the server or the session was ended or is not ready yet; 58 errors of the operating system.
const TEMPORARY_SQLSTATE = /^(08\w{3}|28\w{3}|3D000|25P0[34]|40\w{3}|53\w{3}|55P03|57P0[1-5]|58\w{3})$/;
/** query_canceled: the statement took longer than `statement_timeout`. */
const CANCELLED = '57014';
/** The temporary errors of a statement that took too long, too much memory or too much temporary disk. */
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
// `pg` throws these without a code.
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

/** Returns whether the server and not the statement is the reason: it had no effect and may succeed when it is sent again. */
export function isTemporary(error: unknown): boolean {
  return temporaryCode(ofDriver(error)) !== undefined;
}

/** Returns whether a statement took too much time, memory or disk: temporary, unless the statement itself is the reason. */
export function isExcessive(error: unknown): boolean {
  return EXCESSIVE_SQLSTATES.has(unwrap(ofDriver(error)).code);
}

const ofDriver = (error: unknown): unknown => (error instanceof PlatformError ? error.cause : error);

// What the coordinator of a cluster answers when a worker is away: 08 connection exception, 57P01 to 57P03 the worker ends or starts.
const NODE_IS_AWAY = /^(08\w{3}|57P0[1-3])$/;

/** Returns whether statements of other tenants may succeed: this one was refused, or the node of a cluster that it needs is away. */
export function isCausedByOneTenant(error: unknown): boolean {
  const inner = ofDriver(error);
  return isRefusedStatement(error) || (inner instanceof pg.DatabaseError && NODE_IS_AWAY.test(inner.code ?? ''));
}

/**
 * What a COMMIT fails with. Unless it was skipped, or is refused for what the transaction did, nobody knows whether it was carried
 * out, so it must not count as a refused statement, which may be sent again.
 */
export function asUnknownOutcome(error: unknown): unknown {
  const isKnown = !(error instanceof pg.DatabaseError) || /^(2[35]|40)/.test(error.code ?? '');
  return isKnown
    ? error
    : new PlatformError('SERVICE_UNAVAILABLE', DETAILS.SERVICE_UNAVAILABLE, {
        retryAfterSeconds: 1,
        cause: new Error('The outcome of COMMIT is not known', { cause: error }),
      });
}

/** A temporary error as the caller sees it, 503 with Retry-After; any other error unchanged. */
export function asPlatformError(error: unknown): unknown {
  const code = error instanceof PlatformError ? undefined : temporaryCode(error);
  if (!code) return error;
  return new PlatformError(code, DETAILS[code], { retryAfterSeconds: 1, cause: error });
}

const DETAILS = {
  SERVICE_UNAVAILABLE: 'The database is unavailable. Try again in a second',
  DEADLINE_EXCEEDED: 'The database took too long to respond. Try again in a second',
};

function temporaryCode(error: unknown): keyof typeof DETAILS | undefined {
  const { code, message } = unwrap(error);
  if (code === CANCELLED) return 'DEADLINE_EXCEEDED';
  const isKnown = typeof code === 'string' && (TEMPORARY_SQLSTATE.test(code) || LOST_SYSTEM_CODES.has(code));
  const isLost = typeof message === 'string' && LOST_MESSAGES.test(message);
  return isKnown || isLost ? 'SERVICE_UNAVAILABLE' : undefined;
}
