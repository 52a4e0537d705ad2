export {
  type ActingOperator,
  actingOperator,
  MOST_FAILURES_PER_HOUR,
  type NewOperatorAct,
  recordFailedSignIn,
  recordOperatorAct,
} from './operator-act.js';
export { listOperatorAudit } from './operator-audit.js';
export * as operatorAuditSql from './operator-audit.sql.js';
export { createOperatorAuditTable } from './operator-audit.table.js';
